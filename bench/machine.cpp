#include "machine.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <map>
#include <stdexcept>

#include "support/process.hpp"

namespace tenure::bench {

namespace {

// "name : value" lines, as in /proc; the first of each name.
std::map<std::string, std::string> lines_of(const char* path) {
  std::map<std::string, std::string> all;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const auto name_end = line.find_last_not_of(" \t", colon - 1);
    const auto begin = line.find_first_not_of(" \t", colon + 1);
    if (begin != std::string::npos) all.emplace(line.substr(0, name_end + 1), line.substr(begin));
  }
  return all;
}

constexpr const char* unknown = "unknown";
constexpr const char* not_here = "not here";

std::string first_line_of(const std::vector<std::string>& argv) {
  try {
    const test::Process process(argv);
    if (process.exit_code() != 0) return unknown;
    const std::string out = process.out();
    return out.substr(0, out.find('\n'));
  } catch (const std::runtime_error&) {
    return not_here;
  }
}

// Of the sources that are measured; the report itself changes while it is written.
std::string version() {
  const std::string source = TENURE_BENCH_SOURCE;
  const std::string commit = first_line_of({"git", "-C", source, "describe", "--always"});
  if (commit == unknown || commit == not_here) return commit;
  const test::Process same({"git", "-C", source, "diff", "--quiet", "HEAD", "--", "../src", "../include", ".",
                            ":!RESULTS.md", ":!plots"});
  return same.exit_code() == 1 ? commit + ", with changes" : commit;
}

// Of "Redis server v=7.0.15 sha=…".
std::string redis_version() {
  const std::string line = first_line_of({"redis-server", "--version"});
  const auto begin = line.find("v=");
  return begin == std::string::npos ? line : line.substr(begin + 2, line.find(' ', begin) - begin - 2);
}

std::string memory() {
  const std::string kilobytes = lines_of("/proc/meminfo")["MemTotal"];
  return std::to_string(std::stoll(kilobytes.empty() ? "0" : kilobytes) / 1024) + " MB";
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::string text(16, '\0');
  text.resize(std::strftime(text.data(), text.size(), "%Y-%m-%d", std::gmtime(&now)));
  return text;
}

}  // namespace

std::vector<Fact> machine() {
  utsname system{};
  uname(&system);
  return {{"day", today()},
          {"processor", lines_of("/proc/cpuinfo")["model name"]},
          {"cores", std::to_string(sysconf(_SC_NPROCESSORS_ONLN))},
          {"memory", memory()},
          {"kernel", std::string(system.sysname) + " " + system.release},
          {"Redis", redis_version()},
          {"compiler", TENURE_BENCH_COMPILER},
          {"Tenure", version()}};
}

}  // namespace tenure::bench
