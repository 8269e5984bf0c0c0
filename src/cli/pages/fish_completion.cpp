#include "cli/pages/completion.hpp"

namespace tenure::cli {

namespace {

using Kind = CompletedOption::Kind;

// In fish a backslash escapes in single quotes as well.
std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += (c == '\'' || c == '\\' ? "\\" : "") + std::string(1, c);
  return out + "'";
}

std::string flags_of(const CompletedOption& option) {
  std::string flags;
  for (const auto& name : option.names) {
    flags += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  switch (option.kind) {
    case Kind::flag:
      break;
    case Kind::free:
      return flags + " -x";
    case Kind::file:
      return flags + " -r -F";
    case Kind::directory:
      return flags + " -x -a '(__fish_complete_directories)'";
    case Kind::choice:
      return flags + " -x -a " + fish_quoted(joined(option.choices));
  }
  return flags;
}

std::string lines_of(const CompletedCommand& command) {
  const std::string to = "complete -c tenure -n '__tenure_command " + command.name + "'";
  std::string text;
  if (!command.words.empty()) {
    text += "complete -c tenure -n '__tenure_command " + command.name + "; and __tenure_words 2' -a " +
            fish_quoted(joined(command.words)) + "\n";
  }
  for (const auto& option : command.options) {
    text += to + flags_of(option) + " -d " + fish_quoted(option.text) + "\n";
  }
  return text;
}

}  // namespace

std::string fish_completion(const CompletedCommands& commands) {
  std::string list, lines;
  std::vector<std::string> names;
  for (const auto& command : commands) {
    names.push_back(command.name);
    list += "complete -c tenure -n '__tenure_words 1' -a " + command.name + " -d " +
            fish_quoted(command.text) + "\n";
    lines += lines_of(command);
  }
  return R"(# Completes tenure in fish. Made from tenure --help.

# Are there so many words before the one that is completed?
function __tenure_words
    test (count (commandline -opc)) -eq $argv[1]
end

# Behind the -- of some commands stands another one.
function __tenure_behind_dashes
    set -l words (commandline -opc)
    contains -- $words[2] )" +
         joined(taking_command(commands)) + R"(; and contains -- -- $words
end

function __tenure_command
    set -l words (commandline -opc)
    test (count $words) -ge 2; and contains -- $words[2] $argv; and not __tenure_behind_dashes
end

complete -c tenure -f
complete -c tenure -n __tenure_behind_dashes -F -a '(__fish_complete_command)'
complete -c tenure -n '__tenure_words 1' -l help -d 'list the commands'
complete -c tenure -n '__tenure_words 1' -l version -d 'say which version this is'
complete -c tenure -n '__tenure_words 1' -a help -d 'the page of a command'
complete -c tenure -n '__tenure_command help; and __tenure_words 2' -a ')" +
         joined(names) + "'\n" + list + lines;
}

}  // namespace tenure::cli
