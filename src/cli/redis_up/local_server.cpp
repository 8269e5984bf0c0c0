#include "cli/redis_up/local_server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <system_error>
#include <thread>

#include "cli/doctor/server_info.hpp"
#include "cli/redis_up/seal_note.hpp"
#include "core/base/text.hpp"
#include "redis/net/caller.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::cli {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr core::Duration start_within = seconds(10);
constexpr core::Duration stop_within = seconds(10);

// What the first start leaves, whatever the server does then. Not redis.conf: that may have been written before.
constexpr std::array traces{"data", "redis.log", "redis.pid"};

// As redis.conf wants a text with spaces or quotes in it.
std::string quoted(const fs::path& path) {
  std::string text = "\"";
  for (const char letter : path.string()) {
    if (letter == '"' || letter == '\\') text += '\\';
    text += letter;
  }
  return text + "\"";
}

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

bool ends(const LocalServer::Running& server, core::Duration within) {
  pollfd gone{server.handle.get(), POLLIN, 0};
  return poll(&gone, 1, static_cast<int>(std::chrono::ceil<milliseconds>(within).count())) > 0;
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

std::optional<std::string> no_server_program() {
  const auto found = find_program("redis.conf");
  return found ? std::nullopt : std::optional(found.error());
}

LocalServer::LocalServer(const fs::path& root, std::uint16_t port)
    : port_(port), directory_(fs::absolute(root) / std::to_string(port)) {}

redis::Address LocalServer::address() const {
  redis::Address address;
  address.host = "127.0.0.1";
  address.port = port_;
  return address;
}

bool LocalServer::is_new() const {
  return std::ranges::all_of(traces, [&](const char* name) {
    std::error_code error;
    return !fs::exists(directory_ / name, error) && !error;
  });
}

std::optional<LocalServer::Running> LocalServer::running() const {
  pid_t pid = -1;
  std::ifstream(directory_ / "redis.pid") >> pid;
  if (pid <= 0) return std::nullopt;
  // Held before the look: so the process that is looked at is the one that will be signalled.
  Running server{pid, runtime::Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)))};
  if (!server.handle || !runs_in(pid, directory_ / "data")) return std::nullopt;
  if (ends(server, core::Duration::zero())) return std::nullopt;  // dead, and nobody has buried it yet
  return server;
}

std::optional<std::string> LocalServer::prepare() const {
  std::error_code error;
  fs::create_directories(directory_ / "data", error);
  if (error) return "cannot make " + directory_.string() + ": " + error.message();
  fs::permissions(directory_, fs::perms::owner_all, error);
  const fs::path file = directory_ / "redis.conf";
  if (fs::exists(file)) return std::nullopt;  // with what its owner has changed in it
  std::ofstream text(file);
  text << "# Written by tenure redis up, and left alone from then on.\n"
       << "port " << port_ << "\nbind 127.0.0.1\nprotected-mode yes\n"
       << "dir " << quoted(directory_ / "data") << "\npidfile " << quoted(directory_ / "redis.pid") << "\n"
       << "# A lease must not be thrown away, and the record should outlive a restart.\n"
       << "maxmemory-policy noeviction\nappendonly yes\nappendfsync everysec\nsave \"\"\n";
  text.close();
  if (!text) return "cannot write " + file.string();
  return std::nullopt;
}

std::optional<std::string> LocalServer::start() {
  const auto sealed = take_note(note(), directory_);
  if (sealed && resume(*sealed)) return std::nullopt;
  return launch({}, address());
}

// Starts it where no client can reach it, breaks the seal of its record, and lets the clients in. False: it does not
// run. Where the seal does not fit, the record stays as it is, and the first client begins a quarantine.
bool LocalServer::resume(const SealedRecord& sealed) {
  redis::Address inside;
  inside.kind = redis::Address::Kind::unix_socket;
  inside.path = directory_ / "up.sock";
  if (inside.path.size() >= sizeof(sockaddr_un::sun_path)) return false;
  if (launch({"--port", "0", "--unixsocket", inside.path, "--unixsocketperm", "600"}, inside)) return false;
  auto redis = redis::Caller::connect(inside, seconds(1));
  resumed_ = redis && break_seal(*redis, redis::Keyspace{}, sealed);
  const bool open = redis && redis->call({"CONFIG", "SET", "port", std::to_string(port_)});
  std::error_code ignored;
  fs::remove(inside.path, ignored);
  if (open && !wait_until_it_answers()) return true;
  resumed_ = false;
  // One that does not end keeps its data; start() says so, because its port is not ours then.
  if (const auto server = running()) terminate(*server);
  return false;
}

std::optional<std::string> LocalServer::launch(const std::vector<std::string>& options,
                                               const redis::Address& where) {
  const auto command = find_program(directory_ / "redis.conf", options);
  if (!command) return command.error();
  if (is_new()) made_.assign(traces.begin(), traces.end());
  if (!fs::exists(directory_)) made_.emplace_back();  // all of it
  const auto undo = [&](std::string why) {
    remove_what_start_made();
    return why;
  };
  if (auto error = prepare()) return undo(*error);
  std::error_code ignored;
  fs::remove(directory_ / "redis.pid", ignored);  // of a life before: whoever it named is not this server
  const runtime::Descriptor log(
      open((directory_ / "redis.log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log) return undo("cannot write " + (directory_ / "redis.log").string());
  const pid_t pid = fork();
  if (pid < 0) return undo("cannot start a process: " + std::generic_category().message(errno));
  if (pid == 0) become_server(*command, log.get());

  const core::Time deadline = runtime::boot_now() + start_within;
  while (runtime::boot_now() < deadline) {
    if (waitpid(pid, nullptr, WNOHANG) == pid) {
      return undo("the server on port " + std::to_string(port_) +
                  " does not start; it says: " + last_words());
    }
    if (running() && !wait_until_it_answers(where)) return std::nullopt;
    std::this_thread::sleep_for(milliseconds(5));
  }
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  return undo("the server on port " + std::to_string(port_) + " does not answer within " +
              core::to_text(start_within));
}

std::optional<std::string> LocalServer::wait_until_it_answers(const redis::Address& where) const {
  const core::Time deadline = runtime::boot_now() + start_within;
  const std::string who = "the server on port " + std::to_string(port_);
  std::string why = "no answer";
  while (runtime::boot_now() < deadline) {
    const auto server = running();
    if (!server) return who + " has ended; it says: " + last_words();
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
  return who + " runs and cannot be used: " + why + "; tenure redis down ends it";
}

std::string LocalServer::name(const Running& server) const {
  return "the server on port " + std::to_string(port_) + " (process " + std::to_string(server.pid) + ")";
}

std::optional<std::string> LocalServer::stop() const {
  const auto server = running();
  if (!server) return std::nullopt;
  if (const auto sealed = end_sealed(*server)) {
    if (made_.empty() && !sealed->text.empty()) leave_note(note(), directory_, *sealed);
  } else if (auto why = terminate(*server)) {
    return why;
  }
  remove_what_start_made();
  return std::nullopt;
}

// Lets it write everything to the disk and end, with its record sealed. Nothing, if it runs on; an empty record, if it has
// ended and nobody can vouch for it.
std::optional<SealedRecord> LocalServer::end_sealed(const Running& server) const {
  const redis::Keyspace keyspace;
  auto redis = redis::Caller::connect(address(), seconds(1));
  const auto info = redis ? ask_info(*redis, {"server"}) : tl::unexpected(redis.error());
  if (!info || info->field("process_id") != std::to_string(server.pid)) return std::nullopt;
  const core::Time paused = runtime::boot_now();
  const std::int64_t wall = runtime::wall_now_ms();
  auto sealed = seal_record(*redis, keyspace);
  if (!sealed) return std::nullopt;
  // Only a server that cannot end answers this.
  const auto answer = redis->call({"SHUTDOWN", "SAVE"}, runtime::boot_now() + stop_within);
  const bool refused = answer || answer.error().code == core::FailureCode::server ||
                       answer.error().code == core::FailureCode::unsupported;
  if (ends(server, refused ? core::Duration::zero() : stop_within)) {
    // If clients could write again before it ended, nobody knows what is missing.
    const core::Duration by_wall = std::chrono::milliseconds(runtime::wall_now_ms() - wall);
    const bool still = std::max<core::Duration>(runtime::boot_now() - paused, by_wall) < write_pause * 4 / 5;
    return still ? sealed : std::optional<SealedRecord>(SealedRecord{});
  }
  if (auto again = redis::Caller::connect(address(), seconds(1))) take_seal_back(*again, keyspace, *sealed);
  return std::nullopt;
}

std::optional<std::string> LocalServer::terminate(const Running& server) const {
  if (syscall(SYS_pidfd_send_signal, server.handle.get(), SIGTERM, nullptr, 0) != 0) {
    return name(server) + " cannot be ended: " + std::generic_category().message(errno);
  }
  if (!ends(server, stop_within)) return name(server) + " does not end within " + core::to_text(stop_within);
  return std::nullopt;
}

void LocalServer::remove_what_start_made() const {
  std::error_code ignored;
  for (const auto& name : made_) fs::remove_all(directory_ / name, ignored);
}

std::string LocalServer::last_words() const {
  std::ifstream stream(directory_ / "redis.log");
  std::string last;
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) last = line;
  }
  return last.empty() ? "nothing" : core::printable(last);
}

}  // namespace tenure::cli
