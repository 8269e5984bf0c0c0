// A private redis-server of a run, whose clock can be set. Of the nodes that decide only the last one keeps its data on disk.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "faults/node.hpp"
#include "support/clock_shim.hpp"
#include "support/redis_connection.hpp"
#include "support/redis_server.hpp"

namespace tenure::faults {

class RedisNode : public Node {
 public:
  RedisNode(const Crowd& crowd, std::size_t node);

  std::string socket_path() const override { return server_.socket_path(); }
  std::string url(std::uint16_t port) const override { return "redis://127.0.0.1:" + std::to_string(port); }
  std::string log() const override { return server_.log(); }

  void pause() override { server_.pause(); }
  void resume() override { server_.resume(); }
  void kill() override { server_.kill(); }
  void restart() override { server_.restart(); }
  void wipe() override { server_.command({"FLUSHALL"}); }
  void begin(const Fault& fault) override;
  void end(const Fault& fault) override;

  std::vector<Shown> shown(const std::vector<std::string>& names) override;
  bool remove(const std::string& name, const Shown& lease) override;

  void add_sessions(const std::vector<std::string>& ids, const std::string& text) override;
  Results results(const std::vector<std::string>& ids) const override;

 private:
  void block();
  void unblock();

  test::ClockShim clock_;
  test::RedisServer server_;
  std::unique_ptr<test::RedisConnection> blocking_;
};

}  // namespace tenure::faults
