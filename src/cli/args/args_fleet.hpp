// The command lines of what shows and changes a fleet: sessions, status, explain, poll, web, demo.
#pragma once

#include <span>
#include <string>

#include "cli/args/args.hpp"

namespace tenure::cli {

// Of the words behind the command.
tl::expected<Args, std::string> parse_sessions(std::span<const std::string> words);
tl::expected<Args, std::string> parse_status(std::span<const std::string> words);
tl::expected<Args, std::string> parse_explain(std::span<const std::string> words);
tl::expected<Args, std::string> parse_poll(std::span<const std::string> words);
tl::expected<Args, std::string> parse_web(std::span<const std::string> words);
tl::expected<Args, std::string> parse_demo(std::span<const std::string> words);

}  // namespace tenure::cli
