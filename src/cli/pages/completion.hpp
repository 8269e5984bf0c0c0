// What shells complete behind the word tenure: commands, their own commands, options, and values of options where these are
// known. One function a shell writes the file that it reads.
#pragma once

#include <string>
#include <vector>

namespace tenure::cli {

struct CompletedOption {
  enum class Kind { flag, free, file, directory, choice };

  std::vector<std::string> names{};
  Kind kind = Kind::flag;
  std::string value{};                 // what the help calls it: "DURATION"
  std::vector<std::string> choices{};  // of kind choice
  std::string text{};                  // a few words
  bool repeats = false;
};

struct CompletedCommand {
  std::string name{};
  std::string text{};
  std::vector<std::string> words{};  // its own commands
  std::vector<CompletedOption> options{};
  bool takes_command = false;  // behind --
};

using CompletedCommands = std::vector<CompletedCommand>;

std::string bash_completion(const CompletedCommands& commands);
std::string zsh_completion(const CompletedCommands& commands);
std::string fish_completion(const CompletedCommands& commands);

// "a b c"
std::string joined(const std::vector<std::string>& words, const std::string& between = " ");
// Those behind whose -- another command stands.
std::vector<std::string> taking_command(const CompletedCommands& commands);
// In single quotes, for a shell of the family of sh.
std::string quoted(const std::string& text);

}  // namespace tenure::cli
