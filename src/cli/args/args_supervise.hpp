// The command lines of what runs a command while it holds a name: run and elect. Options and what is said of them are in one
// file.
#pragma once

#include <span>
#include <string>

#include "cli/args/args.hpp"

namespace tenure::cli {

// Of the words behind the command.
tl::expected<Args, std::string> parse_run(std::span<const std::string> words);
tl::expected<Args, std::string> parse_elect(std::span<const std::string> words);

}  // namespace tenure::cli
