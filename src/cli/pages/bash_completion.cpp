#include "cli/pages/completion.hpp"

namespace tenure::cli {

namespace {

using Kind = CompletedOption::Kind;

// What stands before and behind the cases of all commands. It needs nothing of bash-completion, and takes from it what knows how
// to complete another command.
constexpr auto begin = R"(# Completes tenure in bash. Made from tenure --help.
_tenure() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  local options='' words='' values='' kind='' at
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '@COMMANDS@ help --help --version' -- "$current"))
    return
  fi
  case $command in
    @TAKING@)
      for ((at = 2; at < COMP_CWORD; at++)); do
        if [ "${COMP_WORDS[at]}" != -- ]; then continue; fi
        if declare -F _command_offset >/dev/null; then
          _command_offset $((at + 1))
        elif [ $((at + 1)) -eq "$COMP_CWORD" ]; then
          COMPREPLY=($(compgen -c -- "$current"))
        else
          COMPREPLY=($(compgen -f -- "$current"))
        fi
        return
      done
      ;;
  esac
  case $command in
    help) if [ "$COMP_CWORD" -eq 2 ]; then words='@COMMANDS@'; fi ;;
)";

constexpr auto end = R"(  esac
  case $kind in
    file) COMPREPLY=($(compgen -f -- "$current")) ;;
    directory) COMPREPLY=($(compgen -d -- "$current")) ;;
    choice) COMPREPLY=($(compgen -W "$values" -- "$current")) ;;
    free) ;;
    *)
      case $current in
        -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
        *) if [ "$COMP_CWORD" -eq 2 ]; then COMPREPLY=($(compgen -W "$words" -- "$current")); fi ;;
      esac
      ;;
  esac
}
complete -o filenames -o bashdefault -F _tenure tenure
)";

std::string replaced(std::string text, const std::string& mark, const std::string& by) {
  for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
    text.replace(at, mark.size(), by);
  }
  return text;
}

std::string consequence(const CompletedOption& option) {
  switch (option.kind) {
    case Kind::flag:
      return "";
    case Kind::free:
      return "kind=free";
    case Kind::file:
      return "kind=file";
    case Kind::directory:
      return "kind=directory";
    case Kind::choice:
      return "kind=choice values='" + joined(option.choices) + "'";
  }
  return "";
}

std::string case_of(const CompletedCommand& command) {
  std::vector<std::string> names;
  std::string values;
  for (const auto& option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
    if (option.kind == Kind::flag) continue;
    values += "        " + joined(option.names, " | ") + ") " + consequence(option) + " ;;\n";
  }
  std::string text = "    " + command.name + ")\n      options='" + joined(names) + "'\n";
  if (!command.words.empty()) text += "      words='" + joined(command.words) + "'\n";
  if (!values.empty()) text += "      case $previous in\n" + values + "      esac\n";
  return text + "      ;;\n";
}

}  // namespace

std::string bash_completion(const CompletedCommands& commands) {
  std::vector<std::string> names;
  std::string cases;
  for (const auto& command : commands) {
    names.push_back(command.name);
    cases += case_of(command);
  }
  return replaced(replaced(begin, "@COMMANDS@", joined(names)), "@TAKING@",
                  joined(taking_command(commands), " | ")) +
         cases + end;
}

}  // namespace tenure::cli
