#include "script.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace tenure::scenario {

namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

void print(std::ofstream& out, const std::vector<std::string>& lines) {
  for (const auto& line : lines) out << line << '\n';
}

}  // namespace

// "#1" is a request; a comment's sign stands alone or at the start.
std::string without_comment(const std::string& line) {
  const std::string text = trimmed(line);
  if (text.starts_with('#')) return {};
  return trimmed(text.substr(0, text.find(" # ")));
}

std::vector<Block> read_script(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  std::vector<Block> blocks;
  Block block;
  bool below = false;  // of the "---"
  const auto finish = [&] {
    if (below) blocks.push_back(std::move(block));
    block = {};
    below = false;
  };
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    number += 1;
    if (below && trimmed(line).empty()) {
      finish();
    } else if (below) {
      block.expected.push_back(line);
    } else if (trimmed(line) == "---") {
      below = true;
    } else {
      block.before.push_back(line);
      const std::string command = without_comment(line);
      if (command.empty()) continue;
      if (block.commands.empty()) block.line = number;
      block.commands.push_back(command);
    }
  }
  if (!below && !block.commands.empty()) {
    // Written so far without the expected part: TENURE_REWRITE=1 adds it.
    below = true;
  }
  finish();
  return blocks;
}

void write_script(const std::filesystem::path& file, const std::vector<Block>& blocks) {
  std::ofstream out(file);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i > 0) out << '\n';
    print(out, blocks[i].before);
    out << "---\n";
    print(out, blocks[i].expected);
  }
}

std::vector<std::string> with_old_comments(const std::vector<std::string>& told,
                                           const std::vector<std::string>& expected) {
  std::vector<std::string> lines;
  for (const auto& line : told) {
    const auto old = std::ranges::find(expected, line, without_comment);
    lines.push_back(old != expected.end() ? *old : line);
  }
  return lines;
}

std::string difference(const std::vector<std::string>& expected, const std::vector<std::string>& told) {
  std::vector<std::string> wanted;
  for (const auto& line : expected) {
    if (auto text = without_comment(line); !text.empty()) wanted.push_back(std::move(text));
  }
  if (wanted == told) return {};
  std::string text;
  std::size_t next = 0;
  for (const auto& line : told) {
    const auto found = std::find(wanted.begin() + static_cast<std::ptrdiff_t>(next), wanted.end(), line);
    if (found == wanted.end()) {
      text += "+ " + line + "\n";
      continue;
    }
    const auto at = static_cast<std::size_t>(found - wanted.begin());
    for (; next < at; ++next) text += "- " + wanted[next] + "\n";
    text += "  " + line + "\n";
    next = at + 1;
  }
  for (; next < wanted.size(); ++next) text += "- " + wanted[next] + "\n";
  return text;
}

}  // namespace tenure::scenario
