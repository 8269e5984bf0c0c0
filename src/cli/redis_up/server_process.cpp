#include "cli/redis_up/server_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <system_error>
#include <thread>
#include <tl/expected.hpp>

#include "cli/doctor/server_info.hpp"
#include "cli/supervise/command.hpp"
#include "core/base/text.hpp"
#include "redis/net/caller.hpp"
#include "runtime/boot_clock.hpp"

namespace tenure::cli {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr core::Duration start_within = seconds(10);

std::string first_line(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

bool runs_in(pid_t pid, const fs::path& data) {
  const fs::path process = "/proc/" + std::to_string(pid);
  const std::string name = first_line(process / "comm");
  if (!name.starts_with("redis-server") && !name.starts_with("valkey-server")) return false;
  std::error_code error;
  return fs::equivalent(process / "cwd", data, error);
}

// In a forked child, which has its own session from then on: the terminal's keys are not for it.
[[noreturn]] void become_server(const Command& command, int log) {
  setsid();
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  command.exec();
  _exit(127);
}

tl::expected<Command, std::string> find_program(const fs::path& configuration,
                                                const std::vector<std::string>& options = {}) {
  for (const char* name : {"redis-server", "valkey-server"}) {
    std::vector<std::string> words{name, configuration.string()};
    words.insert(words.end(), options.begin(), options.end());
    auto command = Command::find(words);
    if (command) return std::move(*command);
  }
  return tl::unexpected(std::string(
      "there is neither redis-server nor valkey-server in PATH: apt-get install redis-server, dnf install "
      "valkey "
      "or brew install redis"));
}

}  // namespace

bool ends(const ServerProcess::Running& server, core::Duration within) {
  pollfd gone{server.handle.get(), POLLIN, 0};
  return poll(&gone, 1, static_cast<int>(std::chrono::ceil<milliseconds>(within).count())) > 0;
}

std::optional<std::string> no_server_program() {
  const auto found = find_program("redis.conf");
  return found ? std::nullopt : std::optional(found.error());
}

ServerProcess::ServerProcess(const fs::path& root, std::uint16_t port, Kind kind)
    : port_(port), kind_(kind), directory_(fs::absolute(root) / std::to_string(port)) {}

fs::path ServerProcess::file(const std::string& ending) const {
  return directory_ / ((kind_ == Kind::redis ? "redis." : "sentinel.") + ending);
}

// What the first start leaves, whatever the server does then. Not the configuration: that may have been written before.
std::vector<fs::path> ServerProcess::traces() const { return {data(), file("log"), pid_file()}; }

redis::Address ServerProcess::address() const {
  redis::Address address;
  address.host = "127.0.0.1";
  address.port = port_;
  return address;
}

bool ServerProcess::is_new() const {
  return std::ranges::all_of(traces(), [](const fs::path& trace) {
    std::error_code error;
    return !fs::exists(trace, error) && !error;
  });
}

std::optional<ServerProcess::Running> ServerProcess::running() const {
  pid_t pid = -1;
  std::ifstream(pid_file()) >> pid;
  if (pid <= 0) return std::nullopt;
  // Held before the look: so the process that is looked at is the one that will be signalled.
  Running server{pid, runtime::Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)))};
  if (!server.handle || !runs_in(pid, data())) return std::nullopt;
  if (ends(server, core::Duration::zero())) return std::nullopt;  // dead, and nobody has buried it yet
  return server;
}

std::optional<std::string> ServerProcess::prepare(const std::string& text) const {
  std::error_code error;
  fs::create_directories(data(), error);
  if (error) return "cannot make " + directory_.string() + ": " + error.message();
  fs::permissions(directory_, fs::perms::owner_all, error);
  if (fs::exists(configuration())) return std::nullopt;  // with what was changed in it
  std::ofstream stream(configuration());
  stream << text;
  stream.close();
  if (!stream) return "cannot write " + configuration().string();
  return std::nullopt;
}

std::optional<std::string> ServerProcess::launch(const Start& start) {
  const auto command = find_program(configuration(), start.options);
  if (!command) return command.error();
  if (is_new()) made_ = traces();
  if (!fs::exists(directory_)) made_.push_back(directory_);
  const auto undo = [&](std::string why) {
    remove_what_launch_made();
    return why;
  };
  // One that somebody has changed may be why it does not start.
  const std::string configured = fs::exists(configuration())
                                     ? " (its configuration is " + configuration().string() + ")"
                                     : std::string();
  if (auto error = prepare(start.configuration)) return undo(*error);
  std::error_code ignored;
  fs::remove(pid_file(), ignored);  // of a life before: whoever it named is not this server
  const runtime::Descriptor log(open(file("log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log) return undo("cannot write " + file("log").string());
  const pid_t pid = fork();
  if (pid < 0) return undo("cannot start a process: " + std::generic_category().message(errno));
  if (pid == 0) become_server(*command, log.get());

  const core::Time deadline = runtime::boot_now() + start_within;
  while (runtime::boot_now() < deadline) {
    if (waitpid(pid, nullptr, WNOHANG) == pid) {
      return undo(who() + " does not start" + configured + "; it says: " + last_words());
    }
    if (running() && !wait_until_it_answers(start.answers_at)) return std::nullopt;
    std::this_thread::sleep_for(milliseconds(5));
  }
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  return undo(who() + " does not answer within " + core::to_text(start_within) +
              ": try again when this machine has less to do");
}

std::optional<std::string> ServerProcess::wait_until_it_answers(const redis::Address& where) const {
  const core::Time deadline = runtime::boot_now() + start_within;
  std::string why = "no answer";
  while (runtime::boot_now() < deadline) {
    const auto server = running();
    if (!server) return who() + " has ended; it says: " + last_words();
    auto redis = redis::Caller::connect(where, seconds(1));
    const auto pong = redis ? redis->call({"PING"}) : tl::unexpected(redis.error());
    if (pong) {
      // Somebody else may have been quicker at the port.
      const auto info = ask_info(*redis, {"server"});
      if (info && info->field("process_id") == std::to_string(server->pid)) return std::nullopt;
      why = "another server has its port";
    } else {
      why = pong.error().detail;
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
  return who() + " runs and cannot be used: " + why + "; tenure redis down ends it";
}

std::string ServerProcess::who() const {
  return (kind_ == Kind::sentinel ? "the Sentinel on " : "the server on ") + port_text();
}

std::string ServerProcess::name(const Running& server) const {
  return who() + " (process " + std::to_string(server.pid) + ")";
}

std::optional<std::string> ServerProcess::terminate() const {
  const auto server = running();
  return server ? terminate(*server) : std::nullopt;
}

std::optional<std::string> ServerProcess::terminate(const Running& server) const {
  if (syscall(SYS_pidfd_send_signal, server.handle.get(), SIGTERM, nullptr, 0) != 0) {
    return name(server) + " cannot be ended: " + std::generic_category().message(errno);
  }
  if (!ends(server, stop_within)) return name(server) + " does not end within " + core::to_text(stop_within);
  return std::nullopt;
}

void ServerProcess::remove_what_launch_made() const {
  std::error_code ignored;
  for (const auto& path : made_) fs::remove_all(path, ignored);
}

std::string ServerProcess::last_words() const {
  std::ifstream stream(file("log"));
  std::string last;
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) last = line;
  }
  return last.empty() ? "nothing" : core::printable(last);
}

}  // namespace tenure::cli
