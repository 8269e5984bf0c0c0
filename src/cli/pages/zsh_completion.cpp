#include "cli/pages/completion.hpp"

#include <algorithm>
#include <cctype>

namespace tenure::cli {

namespace {

using Kind = CompletedOption::Kind;

std::string without_marks(const std::string& text, const std::string& marks) {
  std::string out;
  for (const char c : text) out += (marks.find(c) != std::string::npos ? "\\" : "") + std::string(1, c);
  return out;
}

std::string value_of(const CompletedOption& option) {
  std::string name = option.value;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  name = ":" + without_marks(name, ":\\") + ":";
  switch (option.kind) {
    case Kind::flag:
      return "";
    case Kind::free:
      return name;
    case Kind::file:
      return name + "_files";
    case Kind::directory:
      return name + "_files -/";
    case Kind::choice:
      return name + "(" + joined(option.choices) + ")";
  }
  return "";
}

// '(-n --no-wait)'{-n,--no-wait}'[text]:value:action'
std::string spec_of(const CompletedOption& option) {
  const std::string what = quoted("[" + without_marks(option.text, "[]:\\") + "]" + value_of(option));
  const std::string before = option.repeats            ? "'*'"
                             : option.names.size() > 1 ? quoted("(" + joined(option.names) + ")")
                                                       : "";
  const std::string names =
      option.names.size() > 1 ? "{" + joined(option.names, ",") + "}" : option.names.front();
  return before + names + what;
}

std::string case_of(const CompletedCommand& command) {
  std::string text = "    " + command.name + ")\n      _arguments -S";
  for (const auto& option : command.options) text += " \\\n        " + spec_of(option);
  if (!command.words.empty()) text += " \\\n        '1:command:(" + joined(command.words) + ")'";
  // Names and ids: nothing to offer, but options may stand behind them.
  return text + " \\\n        '*:name:'\n      ;;\n";
}

}  // namespace

std::string zsh_completion(const CompletedCommands& commands) {
  std::string list, cases;
  std::vector<std::string> names;
  for (const auto& command : commands) {
    names.push_back(command.name);
    list += "    " + quoted(command.name + ":" + without_marks(command.text, ":\\")) + "\n";
    cases += case_of(command);
  }
  return R"(#compdef tenure
# Completes tenure in zsh. Made from tenure --help.
_tenure() {
  local -a own  # the name commands is that of zsh itself
  local -i behind
  own=(
)" + list +
         R"(    'help:the page of a command'
  )
  if ((CURRENT == 2)); then
    _describe -t commands command own
    _arguments -S '--help[list the commands]' '--version[say which version this is]'
    return
  fi
  behind=${words[(i)--]}
  if ((behind < CURRENT)) && [[ $words[2] == ()" +
         joined(taking_command(commands), "|") + R"() ]]; then
    shift $behind words
    ((CURRENT -= behind))
    _normal -p tenure
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
    help) _arguments '1:command:()" +
         joined(names) + ")' ;;\n" + cases + R"(  esac
}
_tenure "$@"
)";
}

}  // namespace tenure::cli
