// Where the examples find Redis, and what they say when they are asked for help.
#pragma once

#include <cstdio>
#include <string_view>
#include <vector>

#include <tenure/client.hpp>

namespace example {

// A client of the nodes on the command line, else of those that the environment names (TENURE_REDIS and the other variables of
// the program), else of three on this machine, as `tenure redis up` starts them. What goes wrong is said on stderr.
inline tl::expected<tenure::Client, tenure::Refusal> open(int argc, char** argv) {
  tenure::ClientOptions options;
  options.log_level = tenure::LogLevel::warn;
  options.on_log = [](const tenure::LogLine& line) { std::fprintf(stderr, "%s\n", line.message.c_str()); };
  if (argc > 1) {
    options.nodes.assign(argv + 1, argv + argc);
    return tenure::Client::open(options);
  }
  options.nodes = {"redis://127.0.0.1:6379", "redis://127.0.0.1:6380", "redis://127.0.0.1:6381"};
  return tenure::Client::from_environment(options);
}

// Prints the help and gives true if it was asked for.
inline bool helped(int argc, char** argv, const char* what) {
  if (argc != 2 || (std::string_view(argv[1]) != "--help" && std::string_view(argv[1]) != "-h")) return false;
  std::printf(
      "%s\n\nUsage: %s [URL ...]\n\n"
      "Without a URL it takes those in TENURE_REDIS, else three nodes on this machine, at the ports 6379 to "
      "6381:\n"
      "  eval \"$(tenure redis up)\"   starts them, and sets TENURE_REDIS\n",
      what, argv[0]);
  return true;
}

}  // namespace example
