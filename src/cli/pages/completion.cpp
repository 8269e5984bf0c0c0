#include "cli/pages/completion.hpp"

namespace tenure::cli {

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string all;
  for (const auto& word : words) all += (all.empty() ? "" : between) + word;
  return all;
}

std::vector<std::string> taking_command(const CompletedCommands& commands) {
  std::vector<std::string> names;
  for (const auto& command : commands) {
    if (command.takes_command) names.push_back(command.name);
  }
  return names;
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace tenure::cli
