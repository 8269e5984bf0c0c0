// What both programs have in common, tenure and tenure-fleet (see fleet_program.hpp): arguments are read, passwords hidden,
// help is given, and what was thrown is told.
#pragma once

#include <string>
#include <vector>

#include "cli/args/args.hpp"

namespace tenure::cli {

struct CommandLine {
  std::vector<std::string> words;  // behind the name of the program, passwords and all
  char** shown = nullptr;          // argv, as everybody on the machine may read it: without passwords
};

// The words behind the name of the program, as they stand in argv.
std::vector<std::string> words_of(int argc, char** argv);

struct Program {
  std::vector<std::string> (*read)(int argc, char** argv) = words_of;
  // Does what was asked for, which is never a Text, and gives the exit code.
  int (*perform)(const Args& args, const CommandLine& line) = nullptr;
};

// The exit code.
int run_program(int argc, char** argv, const Program& program);

}  // namespace tenure::cli
