#include "usage.hpp"

#include <unistd.h>

#include <ctime>
#include <fstream>
#include <sstream>

namespace tenure::bench {

namespace {

double field_of(const std::string& info, const std::string& name) {
  const auto at = info.find(name + ":");
  return std::stod(info.substr(at + name.size() + 1));
}

}  // namespace

double cpu_of_this_process() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double cpu_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double megabytes_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  double total = 0;
  double resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

RedisUsage usage_of(test::RedisServer& server) {
  const std::string cpu = server.command({"INFO", "cpu"}).text;
  const std::string stats = server.command({"INFO", "stats"}).text;
  return {field_of(cpu, "used_cpu_user") + field_of(cpu, "used_cpu_sys"),
          field_of(stats, "total_net_input_bytes") + field_of(stats, "total_net_output_bytes")};
}

}  // namespace tenure::bench
