// One private Redis on this machine that is independent of all others: DIR/PORT holds its redis.conf, redis.pid, redis.log
// and data. Listens on 127.0.0.1 only. What stop() has ended goes on with its leases at the next start().
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/redis_up/sealed_record.hpp"
#include "cli/redis_up/server_process.hpp"

namespace tenure::cli {

class LocalServer : public ServerProcess {
 public:
  LocalServer(const std::filesystem::path& root, std::uint16_t port) : ServerProcess(root, port) {}

  std::string url() const { return "redis://127.0.0.1:" + std::to_string(port()); }

  // Returns when it answers. The error is a sentence, and then nothing of it is left that was not there before.
  std::optional<std::string> start();
  // Has start() gone on where stop() had ended it, with all leases and without a quarantine?
  bool resumed() const { return resumed_; }
  // Ends it and waits for that; its data stays. Nothing when it did not run.
  std::optional<std::string> stop() const;

 private:
  bool resume(const SealedRecord& sealed);
  std::optional<SealedRecord> end_sealed(const Running& server) const;
  // What stop() leaves for start(), not among the data that it is about.
  std::filesystem::path note() const { return directory().string() + ".sealed"; }

  bool resumed_ = false;
};

// All that have a directory there, by port.
std::vector<LocalServer> servers_in(const std::filesystem::path& root);

}  // namespace tenure::cli
