// What it costs to start the program: a lock for one command in a script, as often as a script likes.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

#include "benches.hpp"
#include "cores.hpp"
#include "measure.hpp"
#include "stage.hpp"
#include "support/directory.hpp"
#include "support/nodes.hpp"
#include "support/paths.hpp"

namespace tenure::bench {

namespace {

using Words = std::vector<std::string>;

double in_seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// Where a program of this block says something, nobody reads it.
class Silence {
 public:
  Silence() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  }
  ~Silence() { posix_spawn_file_actions_destroy(&actions_); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

// Gives the processor time that it and those it has waited for took.
double run_to_its_end(Words words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const Silence silence;
  pid_t pid = 0;
  if (posix_spawnp(&pid, argv[0], silence.get(), nullptr, argv.data(), environ) != 0) {
    throw std::runtime_error(words[0] + " cannot be run");
  }
  int status = 0;
  rusage used{};
  while (wait4(pid, &status, 0, &used) < 0 && errno == EINTR) {
  }
  if (status != 0) throw std::runtime_error(words[0] + " failed");
  return in_seconds(used.ru_utime) + in_seconds(used.ru_stime);
}

Contestant starts_of(std::string name, Kind kind, const Words& words) {
  constexpr int times = 10;
  const auto block = [words] {
    double cpu = 0;
    Took took = timed([&] {
      for (int i = 0; i < times; ++i) cpu += run_to_its_end(words);
    });
    took.cpu = cpu;
    return took;
  };
  return {std::move(name), kind, block, times};
}

}  // namespace

Rows start(Stage& stage) {
  test::Nodes nodes = start_nodes(1);
  const test::Directory folder("bench-start");
  const std::string tenure = test::paths::program;
  const std::string floor = "A  flock FILE true";
  const std::string ours = "tenure run NAME -- true";
  Row row{"start", "A lock for one command, the start of the program included",
          "Each line is a program that is started, does its work and ends, again and again. flock asks the "
          "kernel, redis-cli a Redis, for an answer and no lock. tenure connects, acquires, starts a "
          "watchdog and the "
          "command, and releases. consul lock does the same with a server of its own; Debian has no "
          "package of it, so it is not here.",
          time_column};
  row.entries = measure(
      {starts_of(floor, Kind::floor, {"flock", (folder.path() / "file").string(), "true"}),
       starts_of("B  redis-cli PING, which is no lock", Kind::floor,
                 {"redis-cli", "-s", nodes[0].socket_path(), "PING"}),
       starts_of(ours, Kind::tenure, {tenure, "run", "bench", "--redis", nodes[0].url(), "--", "true"}),
       starts_of("tenure --version", Kind::tenure, {tenure, "--version"})},
      stage.rounds());
  const auto speed = row.speed(ours, floor);
  row.goals = {{"time / flock's", speed ? std::optional(1 / *speed) : std::nullopt, Goal::Side::at_most, 4,
                Unit::times,
                "Three processes and a connection to flock's two processes, and libraries to be loaded: "
                "OpenSSL's are most of them. Needed would be to load those only for rediss://."}};
  return {row};
}

}  // namespace tenure::bench
