// One process of redis-server (or valkey-server) on this machine, with a directory of its own, which holds its
// configuration, pid file, log and data. It outlives the program that starts it. What is in the configuration, and which of
// several servers is started when, is for others to say.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time.hpp"
#include "redis/url.hpp"
#include "runtime/net/descriptor.hpp"

namespace tenure::cli {

class ServerProcess {
 public:
  // What its files are called: redis.conf, redis.pid and redis.log, or sentinel.conf and so on.
  enum class Kind : std::uint8_t { redis, sentinel };

  ServerProcess(const std::filesystem::path& root, std::uint16_t port, Kind kind = Kind::redis);

  std::uint16_t port() const { return port_; }
  const std::filesystem::path& directory() const { return directory_; }
  std::filesystem::path data() const { return directory_ / "data"; }
  std::filesystem::path pid_file() const { return file("pid"); }
  std::filesystem::path configuration() const { return file("conf"); }
  redis::Address address() const;
  // "port 6379", as it is shown.
  std::string port_text() const { return "port " + std::to_string(port_); }

  // Was no server ever started here? An empty data directory alone does not say so: one that keeps nothing on disk
  // leaves it empty, and may have forgotten leases.
  bool is_new() const;

  // The process in the pid file, if it really is this server: a pid may have come to mean another program.
  struct Running {
    pid_t pid = -1;
    runtime::Descriptor handle;  // stays with the process, whatever becomes of the pid
  };
  std::optional<Running> running() const;

  struct Start {
    std::string configuration{};         // written unless there is one, which may have been changed
    std::vector<std::string> options{};  // on top of it, for this start alone
    redis::Address answers_at{};
  };
  // Returns when it answers. The error is a sentence, and then nothing of it is left that was not there before.
  std::optional<std::string> launch(const Start& start);
  // Returns when it answers; for one that runs already.
  std::optional<std::string> wait_until_it_answers() const { return wait_until_it_answers(address()); }
  std::optional<std::string> wait_until_it_answers(const redis::Address& where) const;

  // Ends it and waits for that; its data stays. Nothing when it did not run.
  std::optional<std::string> terminate() const;
  // Of one that has ended: whatever was not there before this object launched it.
  void remove_what_launch_made() const;

  static constexpr core::Duration stop_within = std::chrono::seconds(10);

 protected:
  bool launched_it_new() const { return !made_.empty(); }
  std::optional<std::string> terminate(const Running& server) const;

 private:
  std::filesystem::path file(const std::string& ending) const;
  std::vector<std::filesystem::path> traces() const;
  std::optional<std::string> prepare(const std::string& text) const;
  std::string who() const;
  std::string name(const Running& server) const;
  std::string last_words() const;

  std::uint16_t port_;
  Kind kind_;
  std::filesystem::path directory_;
  std::vector<std::filesystem::path> made_{};  // by this object
};

// Did the process end within that time?
bool ends(const ServerProcess::Running& server, core::Duration within);

// Why no server can be started at all, or nothing.
std::optional<std::string> no_server_program();

}  // namespace tenure::cli
