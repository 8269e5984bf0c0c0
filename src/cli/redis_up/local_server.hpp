// One private redis-server (or valkey-server) on this machine, with a directory of its own: DIR/PORT holds its
// redis.conf, redis.pid, redis.log and data. Listens on 127.0.0.1 only. It outlives the program that starts it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "cli/redis_up/sealed_record.hpp"
#include "cli/supervise/command.hpp"
#include "redis/url.hpp"
#include "runtime/net/descriptor.hpp"

namespace tenure::cli {

class LocalServer {
 public:
  LocalServer(const std::filesystem::path& root, std::uint16_t port);

  std::uint16_t port() const { return port_; }
  const std::filesystem::path& directory() const { return directory_; }
  redis::Address address() const;
  std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }

  // Was no server ever started here? An empty data directory alone does not say so: one that keeps nothing on disk
  // leaves it empty, and may have forgotten leases.
  bool is_new() const;

  // The process in the pid file, if it really is this server: a pid may have come to mean another program.
  struct Running {
    pid_t pid = -1;
    runtime::Descriptor handle;  // stays with the process, whatever becomes of the pid
  };
  std::optional<Running> running() const;

  // Returns when it answers. The error is a sentence, and then nothing of it is left that was not there before.
  std::optional<std::string> start();
  // Has start() gone on where stop() had ended it, with all leases and without a quarantine?
  bool resumed() const { return resumed_; }
  // Returns when it answers; for one that runs already.
  std::optional<std::string> wait_until_it_answers() const { return wait_until_it_answers(address()); }
  // Ends it and waits for that; its data stays. Nothing when it did not run.
  std::optional<std::string> stop() const;

 private:
  std::optional<std::string> prepare() const;
  std::optional<std::string> launch(const std::vector<std::string>& options, const redis::Address& where);
  std::optional<std::string> wait_until_it_answers(const redis::Address& where) const;
  bool resume(const SealedRecord& sealed);
  std::optional<SealedRecord> end_sealed(const Running& server) const;
  std::optional<std::string> terminate(const Running& server) const;
  std::string name(const Running& server) const;
  // What stop() leaves for start(), not among the data that it is about.
  std::filesystem::path note() const { return directory_.string() + ".sealed"; }
  std::string last_words() const;
  void remove_what_start_made() const;

  std::uint16_t port_;
  std::filesystem::path directory_;
  std::vector<std::filesystem::path> made_{};  // by this object
  bool resumed_ = false;
};

// Where servers are kept unless --dir says otherwise; nothing where there is no home directory.
std::optional<std::filesystem::path> default_root();

// Why no server can be started at all, or nothing.
std::optional<std::string> no_server_program();

// All that have a directory there, by port.
std::vector<LocalServer> servers_in(const std::filesystem::path& root);

// Who has the port of 127.0.0.1, in words; nothing when it is free.
std::optional<std::string> taken_by(std::uint16_t port);

}  // namespace tenure::cli
