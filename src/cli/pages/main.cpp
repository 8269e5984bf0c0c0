// tenure-pages FOLDER: writes the man pages and the completions of tenure there. A tool of the build: it links the program's own
// help and parser, so that neither is written down a second time.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "cli/args/args.hpp"
#include "cli/pages/completion.hpp"
#include "cli/pages/man_page.hpp"

namespace {

using namespace tenure::cli;
using Words = std::vector<std::string>;

HelpPage help_of(const Words& words) {
  const auto parsed = parse_args(words);
  const auto* text = parsed ? std::get_if<Text>(&*parsed) : nullptr;
  if (text == nullptr) throw std::runtime_error("no help for " + joined(words));
  return parse_help(text->text);
}

// The commands in the first page, but for what is said of help itself.
std::vector<HelpTerm> commands_in(const HelpPage& page) {
  std::vector<HelpTerm> commands;
  for (const auto& block : page.description) {
    for (const auto& term : block.terms) {
      if (term.word != "help") commands.push_back(term);
    }
  }
  if (commands.empty()) throw std::runtime_error("the help lists no commands");
  return commands;
}

// The parser itself is asked which values it takes: "--log-level: ? not in {info,debug}".
Words choices_of(const Words& command, const std::string& option) {
  const auto parsed = parse_args([&] {
    Words words = command;
    words.insert(words.end(), {option, "?"});
    return words;
  }());
  if (parsed) return {};
  const auto from = parsed.error().find(" not in {");
  const auto to = parsed.error().rfind('}');
  if (from == std::string::npos || to == std::string::npos) return {};
  Words choices;
  std::istringstream list(parsed.error().substr(from + 9, to - from - 9));
  for (std::string choice; std::getline(list, choice, ',');) choices.push_back(choice);
  return choices;
}

// As the help writes them: text|json.
Words alternatives(const std::string& value) {
  if (value.find('|') == std::string::npos) return {};
  Words choices;
  std::istringstream list(value);
  for (std::string choice; std::getline(list, choice, '|');) choices.push_back(choice);
  return choices;
}

// Up to the end of its first thought, and no longer than a line of a terminal.
std::string short_text(const std::string& text) {
  std::string first = text.substr(0, std::min(text.find_first_of(";"), text.find(". ")));
  if (first.size() <= 72) return first;
  first.erase(first.rfind(' ', 70));
  while (!first.empty() && (first.back() == ',' || first.back() == ' ')) first.pop_back();
  return first + " ...";
}

CompletedOption completed(const Words& command, const HelpOption& option) {
  using Kind = CompletedOption::Kind;
  CompletedOption out{.names = option.names, .value = option.value, .text = short_text(option.text)};
  out.repeats = option.text.find("several times") != std::string::npos;
  if (option.value.empty()) return out;
  out.choices = alternatives(option.value);
  if (out.choices.empty()) out.choices = choices_of(command, option.names.back());
  out.kind = !out.choices.empty()     ? Kind::choice
             : option.value == "FILE" ? Kind::file
             : option.value == "DIR"  ? Kind::directory
                                      : Kind::free;
  return out;
}

CompletedCommand completed(const HelpTerm& term, const HelpPage& page) {
  CompletedCommand command{.name = term.word, .text = short_text(term.text), .words = subcommands(page)};
  Words line{term.word};
  if (!command.words.empty()) line.push_back(command.words.front());
  for (const auto& option : page.options) command.options.push_back(completed(line, option));
  command.options.push_back({.names = {"-h", "--help"}, .text = "explain this command"});
  for (const auto& usage : page.usage) {
    if (usage.find(" -- COMMAND") != std::string::npos) command.takes_command = true;
  }
  return command;
}

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file);
  out << text << std::flush;
  if (!out) throw std::runtime_error("cannot write " + file.string());
}

void write_all(const std::filesystem::path& folder) {
  const HelpPage first = help_of({"help"});
  const auto commands = commands_in(first);
  Words names{"tenure"};
  for (const auto& term : commands) names.push_back("tenure-" + term.word);
  const auto others = [&](const std::string& own) {
    Words all = names;
    std::erase(all, own);
    return all;
  };

  write(folder / "man/tenure.1", man_text({.name = "tenure",
                                           .purpose = "distributed locks, leader election and shared "
                                                      "polling, on Redis, PostgreSQL, Kubernetes or Consul",
                                           .help = first,
                                           .see_also = others("tenure")}));
  CompletedCommands list;
  for (const auto& term : commands) {
    const HelpPage page = help_of({"help", term.word});
    const std::string name = "tenure-" + term.word;
    write(folder / "man" / (name + ".1"),
          man_text({.name = name, .purpose = term.text, .help = page, .see_also = others(name)}));
    list.push_back(completed(term, page));
  }
  write(folder / "completions/bash/tenure", bash_completion(list));
  write(folder / "completions/zsh/_tenure", zsh_completion(list));
  write(folder / "completions/fish/tenure.fish", fish_completion(list));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::runtime_error("usage: tenure-pages FOLDER");
    write_all(argv[1]);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "tenure-pages: " << error.what() << '\n';
    return 1;
  }
}
