// A private master, as a rule with two replicas, and three Sentinels that watch them, in directories of their own, on free ports of 127.0.0.1;
// gone with the test. The Sentinels are in a hurry: a failover takes them a second or so.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "redis/url.hpp"
#include "support/process.hpp"
#include "support/redis_connection.hpp"
#include "support/redis_server.hpp"

namespace tenure::test {

class Sentinel {
 public:
  // By lines of its configuration. Returns when it answers; throws std::runtime_error with its log when it does not.
  explicit Sentinel(const std::vector<std::string>& lines, bool tls);
  ~Sentinel();
  Sentinel(const Sentinel&) = delete;
  Sentinel& operator=(const Sentinel&) = delete;

  std::uint16_t port() const { return port_; }
  std::string place() const { return "127.0.0.1:" + std::to_string(port_); }
  // Blocks, on a connection of its own; an error reply is a value like others.
  redis::Value command(const std::vector<std::string>& args);
  // Of what it says of that master: "flags", "num-slaves".
  std::string field(const std::string& master, const std::string& name);

  void pause();
  void resume();
  void kill();     // at once
  void restart();  // with what it has written down
  std::string log() const { return process_ ? process_->out() + process_->err() : ""; }

  std::string password{};  // as whom command() speaks

 private:
  bool launch();
  std::string socket_path() const { return directory_ / "sentinel.sock"; }

  std::filesystem::path directory_;
  std::uint16_t port_ = 0;
  std::unique_ptr<Process> process_;
};

class SentinelGroup {
 public:
  struct Options {
    std::size_t replicas = 2;
    std::size_t sentinels = 3;
    std::string password{};           // of the Redis servers
    std::string sentinel_password{};  // of the Sentinels
    std::vector<std::string> tls{};   // all speak TLS, by these arguments: Certificates::server()
  };
  static constexpr auto name = "mymaster";

  // Returns when each Sentinel knows the others and the replicas.
  SentinelGroup();
  explicit SentinelGroup(Options options);

  // Of all Sentinels, with the passwords.
  std::string url() const;
  redis::Address address() const { return redis::parse_url(url()).value(); }

  Sentinel& sentinel(std::size_t index) { return sentinels_.at(index); }
  std::size_t sentinel_count() const { return sentinels_.size(); }
  RedisServer& server(std::size_t index) { return servers_.at(index); }
  std::size_t server_count() const { return servers_.size(); }
  // The one that all Sentinels name that run; throws when they do not agree in time.
  RedisServer& master();
  // The others that run.
  std::vector<RedisServer*> replicas();
  // Waits until all replicas have everything that the master has written.
  void wait_for_replication();
  // Waits until all run, and the Sentinels know it: another failover may come.
  void wait_until_ready();
  // From now on no replica gets what the master writes: it is lost in the next failover.
  void stop_replicas();
  void let_replicas_go_on();
  // Kills the master as a power cut does, and gives the replica that was promoted, when the Sentinels agree on it. Replicas that were
  // stopped go on. Throws if the promoted one has what was written after they were stopped.
  RedisServer& fail_over();
  // Starts those that were killed, as what they were at first: the Sentinels make replicas of them.
  void restart_dead();

 private:
  Sentinel& asked();
  bool ready();

  Options options_;
  std::deque<RedisServer> servers_;
  std::deque<Sentinel> sentinels_;
  std::vector<std::uint16_t> dead_{};
  std::vector<std::string> lost_{};  // keys that no promoted server may have
};

}  // namespace tenure::test
