#include "usage.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tenure::bench {

namespace {

double field_of(const std::string& info, const std::string& name) {
  const auto at = info.find(name + ":");
  return std::stod(info.substr(at + name.size() + 1));
}

// Of the fields of /proc/PID/stat; all zero for a process that is no more.
struct Stat {
  pid_t parent = 0;
  double cpu = 0;
  double cpu_of_ended = 0;  // children that it has waited for
};

Stat read_stat(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  Stat stat;
  fields >> skipped >> stat.parent;
  for (int i = 0; i < 9; ++i) fields >> skipped;
  std::array<double, 4> times{};  // user and system, own and of children
  for (double& time : times) fields >> time;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  stat.cpu = (times[0] + times[1]) / ticks;
  stat.cpu_of_ended = (times[2] + times[3]) / ticks;
  return stat;
}

}  // namespace

double cpu_of_this_process() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double cpu_of(pid_t pid) { return read_stat(pid).cpu; }

double cpu_of_family(pid_t pid) {
  const Stat own = read_stat(pid);
  double sum = own.cpu + own.cpu_of_ended;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t other = std::atoi(entry.path().filename().c_str());
    if (other <= 0) continue;
    const Stat stat = read_stat(other);
    if (stat.parent == pid) sum += stat.cpu;
  }
  return sum;
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
