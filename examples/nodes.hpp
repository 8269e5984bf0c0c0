// Where the examples find Redis, and what they say when they are asked for help.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace example {

// The URLs on the command line, else those in TENURE_REDIS (with commas between them), else three nodes on this machine,
// as `tenure redis up` starts them.
inline std::vector<std::string> nodes(int argc, char** argv) {
  std::vector<std::string> urls(argv + 1, argv + argc);
  if (const char* text = std::getenv("TENURE_REDIS"); urls.empty() && text != nullptr) {
    std::istringstream list(text);
    for (std::string url; std::getline(list, url, ',');) urls.push_back(url);
  }
  if (urls.empty()) urls = {"redis://127.0.0.1:6379", "redis://127.0.0.1:6380", "redis://127.0.0.1:6381"};
  return urls;
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
