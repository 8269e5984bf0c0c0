// The second program, tenure-fleet: all commands that have to do with sessions and polls. They need libcurl, and with it come some
// thirty libraries, which would cost `tenure run` more time than all that it does itself. So tenure links none of it, and
// becomes the other program, as the same process, when one of these commands is given.
#pragma once

#include <concepts>
#include <string>
#include <vector>

#include "cli/program.hpp"

namespace tenure::cli {

template <class Wish, class... Known>
concept OneOf = (std::same_as<Wish, Known> || ...);

// What tenure-fleet does.
template <class Wish>
concept OfFleet = OneOf<Wish, SessionsAddArgs, SessionsChangeArgs, SessionsLsArgs, StatusArgs, ExplainArgs,
                        PollArgs, WebArgs, DemoArgs>;

// Turns this process into tenure-fleet, with the same command line; only returns when it cannot, with an exit code. The words
// go by way of a file that has no name, because arguments are seen by everybody until a program has read them.
int become_fleet_program(const CommandLine& line);

// In tenure-fleet: the words that tenure has handed over, or those in argv where somebody started it directly. Throws
// std::runtime_error when it was another version of tenure.
std::vector<std::string> words_handed_over(int argc, char** argv);

}  // namespace tenure::cli
