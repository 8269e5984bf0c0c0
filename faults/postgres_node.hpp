// A private PostgreSQL of a run. Of the nodes that decide the first one may forget what it has committed when it is killed, the
// others are as durable as a server is by default. Their clocks are not set.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faults/node.hpp"
#include "postgres/net/address.hpp"
#include "postgres/net/caller.hpp"
#include "support/postgres_server.hpp"

namespace tenure::faults {

class PostgresNode : public Node {
 public:
  PostgresNode(const Crowd& crowd, std::size_t node);

  std::string socket_path() const override;
  std::string url(std::uint16_t port) const override;
  std::string log() const override { return server_.log(); }

  void pause() override { server_.pause(); }
  void resume() override { server_.resume(); }
  void kill() override { server_.kill(); }
  void restart() override { server_.restart(); }
  void wipe() override;
  void begin(const Fault& fault) override;
  void end(const Fault& fault) override;

  std::vector<Shown> shown(const std::vector<std::string>& names) override;
  bool remove(const std::string& name, const Shown& lease) override;

  void add_sessions(const std::vector<std::string>& ids, const std::string& text) override;
  Results results(const std::vector<std::string>& ids) const override;

 private:
  postgres::Caller connect() const;
  // By the superuser, who is not kept out by anything that is done to clients. Tried again where somebody is in the way.
  void execute(const std::string& sql) const;
  void set_read_only(bool read_only) const;
  void lock_rows(const Fault& fault);
  void crash_session() const;

  test::PostgresServer server_;
  postgres::Address address_;                 // of the superuser
  std::optional<postgres::Caller> stranger_;  // whose transaction holds locks of ours
};

}  // namespace tenure::faults
