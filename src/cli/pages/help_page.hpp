// A page of tenure --help, taken apart: what man pages and completions are made from, so that nothing is written twice.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenure::cli {

struct HelpOption {
  std::vector<std::string> names{};  // "-n", "--no-wait"
  std::string value{};               // "DURATION"; empty: a flag
  std::string text{};
};

// A word and what it means: a command, an event, a variable.
struct HelpTerm {
  std::string word{};
  std::string text{};
};

// What describes the command, in its order. One of the three has something in it.
struct HelpBlock {
  std::string paragraph{};
  std::vector<HelpTerm> terms{};
  std::vector<std::string> lines{};  // to be shown as they are
};

struct HelpPage {
  std::string summary{};
  std::vector<std::string> usage{};  // "tenure run NAME …"
  std::vector<HelpBlock> description{};
  std::vector<HelpOption> options{};
  std::vector<std::string> exit_codes{};  // lines
  std::vector<std::string> examples{};    // lines
};

HelpPage parse_help(std::string_view text);

// The words that a usage has in the place of a command's own command: ls, show and break of "tenure lock".
std::vector<std::string> subcommands(const HelpPage& page);

}  // namespace tenure::cli
