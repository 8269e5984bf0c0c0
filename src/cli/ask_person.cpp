#include "cli/ask_person.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <iostream>

namespace tenure::cli {

bool can_ask() { return isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1; }

bool says_yes(const std::string& question) {
  const std::string line = "tenure: " + question + " [y/N] ";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

std::string person() {
  const passwd* user = getpwuid(geteuid());  // NOLINT(concurrency-mt-unsafe): before any thread
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host = {"host"};
  return (user != nullptr ? user->pw_name : std::to_string(geteuid())) + "@" + host.data();
}

}  // namespace tenure::cli
