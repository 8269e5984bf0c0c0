#include "contract/store.hpp"

#include <utility>

#include "postgres/net/asked_server.hpp"
#include "postgres/net/caller.hpp"
#include "postgres/net/postgres_node.hpp"
#include "postgres/net/postgres_store.hpp"
#include "postgres/poll/postgres_results.hpp"
#include "postgres/poll/postgres_sessions.hpp"
#include "postgres/schema.hpp"
#include "redis/net/redis_node.hpp"
#include "redis/net/redis_store.hpp"
#include "redis/poll/redis_results.hpp"
#include "redis/poll/redis_sessions.hpp"
#include "redis/url.hpp"
#include "runtime/wall_clock.hpp"
#include "support/cluster_records.hpp"
#include "support/memory_store.hpp"
#include "support/nodes.hpp"
#include "support/postgres_server.hpp"
#include "support/redis_cluster.hpp"
#include "support/redis_server.hpp"
#include "support/sentinel_group.hpp"

namespace tenure::test {

namespace {

constexpr auto patience = std::chrono::seconds(10);

class Memory : public Store {
 public:
  std::shared_ptr<runtime::Node> node() override { return store_.node(); }
  std::shared_ptr<runtime::Node> node_of(const core::Terms& terms) override { return store_.node(terms); }
  std::shared_ptr<const runtime::Store> open() override { return store_.open(); }
  std::optional<LockName> own_name() override { return LockName{"own/", "name"}; }
  void lose_everything() override { store_.lose_everything(); }
  void go_away() override { store_.go_away(); }

 private:
  MemoryStore store_{terms()};
};

class RedisData : public FleetData {
 public:
  RedisData(RedisServer& server, redis::Address address) : server_(server), address_(std::move(address)) {}
  bool put(const std::string& id, const std::string& text,
           const std::optional<std::string>& before) override {
    const auto answer = server_.command(redis::session_put_call(keys_, {id, text}, before));
    return redis::session_put(answer).value() != redis::Put::changed;
  }
  bool remove(const std::string& id) override {
    return redis::session_removed(server_.command(redis::session_remove_call(keys_, id))).value();
  }
  std::unique_ptr<SessionSource> sessions() override {
    return std::make_unique<redis::RedisSessions>(redis::RedisSessions::Source{
        address_, {}, keys_, StoredSessionsOptions::Find::index, poll::Addresses::http, patience});
  }
  std::unique_ptr<poll::ResultStore> results(Leases leases) override {
    return std::make_unique<redis::RedisResults>(redis::RedisResults::Place{
        address_, {}, keys_.states(), keys_.events(), leases == Leases::here, patience});
  }

 private:
  RedisServer& server_;
  redis::Address address_;
  redis::SessionKeys keys_{};
};

redis::Nodes redis_nodes(redis::Address address, const core::Terms& terms) {
  redis::Nodes nodes{{std::move(address)}};
  nodes.keyspace.cap = terms.cap;
  nodes.keyspace.set = terms.set;
  return nodes;
}

class Redis : public Store {
 public:
  Redis() { init(server_, terms().cap, terms().set); }
  std::shared_ptr<runtime::Node> node() override { return node_of(terms()); }
  std::shared_ptr<runtime::Node> node_of(const core::Terms& terms) override {
    const redis::Nodes nodes = nodes_of(terms);
    return redis::make_nodes(nodes.addresses, nodes.keyspace, nodes.tls).front();
  }
  std::shared_ptr<const runtime::Store> open() override { return redis::store_of(nodes_of(terms())); }
  std::optional<LockName> own_name() override { return LockName{"tenure:", "fence"}; }
  void lose_everything() override { server_.restart(); }
  void go_away() override { server_.kill(); }
  std::unique_ptr<FleetData> data() override {
    return std::make_unique<RedisData>(server_, redis::parse_url(server_.url()).value());
  }

 private:
  redis::Nodes nodes_of(const core::Terms& terms) const {
    return redis_nodes(redis::parse_url(server_.url()).value(), terms);
  }

  RedisServer server_;
};

// A master that is known to one Sentinel: what a group costs to start is not for every test of this suite.
class RedisBySentinel : public Store {
 public:
  RedisBySentinel() { init(server_, terms().cap, terms().set); }
  std::shared_ptr<runtime::Node> node() override { return node_of(terms()); }
  std::shared_ptr<runtime::Node> node_of(const core::Terms& terms) override {
    const redis::Nodes nodes = redis_nodes(group_.address(), terms);
    return redis::make_nodes(nodes.addresses, nodes.keyspace, nodes.tls).front();
  }
  std::shared_ptr<const runtime::Store> open() override {
    return redis::store_of(redis_nodes(group_.address(), terms()));
  }
  std::optional<LockName> own_name() override { return LockName{"tenure:", "fence"}; }
  void lose_everything() override { server_.restart(); }
  void go_away() override { server_.kill(); }
  std::unique_ptr<FleetData> data() override {
    return std::make_unique<RedisData>(server_, group_.address());
  }

 private:
  SentinelGroup group_{{.replicas = 0, .sentinels = 1}};
  RedisServer& server_ = group_.server(0);
};

// Three masters without replicas: what a whole Cluster costs to start is not for every test of this suite.
class RedisInCluster : public Store {
 public:
  RedisInCluster() { init(cluster_, terms().cap, terms().set); }
  std::shared_ptr<runtime::Node> node() override { return node_of(terms()); }
  std::shared_ptr<runtime::Node> node_of(const core::Terms& terms) override {
    const redis::Nodes nodes = redis_nodes(cluster_.address(), terms);
    return redis::make_nodes(nodes.addresses, nodes.keyspace, nodes.tls).front();
  }
  std::shared_ptr<const runtime::Store> open() override {
    return redis::store_of(redis_nodes(cluster_.address(), terms()));
  }
  std::optional<LockName> own_name() override { return LockName{"tenure:", "fence"}; }
  void lose_everything() override {
    for (std::size_t i = 0; i < cluster_.server_count(); ++i) cluster_.kill(i);
    for (std::size_t i = 0; i < cluster_.server_count(); ++i) cluster_.restart(i);
    cluster_.wait_until_ready();
  }
  void go_away() override {
    for (std::size_t i = 0; i < cluster_.server_count(); ++i) cluster_.kill(i);
  }

 private:
  RedisCluster cluster_{{.masters = 3, .replicas = 0}};
};

class PostgresData : public FleetData {
 public:
  explicit PostgresData(const std::string& url) : url_(url), server_(open()) {}
  bool put(const std::string& id, const std::string& text,
           const std::optional<std::string>& before) override {
    const auto rows = server_->ask(postgres::session_put_call(fleet, {id, text}, before));
    return postgres::session_put(rows.value()).value() != postgres::Put::changed;
  }
  bool remove(const std::string& id) override {
    return postgres::session_removed(server_->ask(postgres::session_remove_call(fleet, id)).value()).value();
  }
  std::unique_ptr<SessionSource> sessions() override {
    return std::make_unique<postgres::PostgresSessions>(open(), fleet, poll::Addresses::http);
  }
  std::unique_ptr<poll::ResultStore> results(Leases leases) override {
    return std::make_unique<postgres::PostgresResults>(
        open(), postgres::PostgresResults::Place{fleet, leases == Leases::here});
  }

 private:
  static constexpr auto fleet = "poll";
  std::unique_ptr<postgres::Server> open() const {
    return postgres::server_at(postgres::parse_url(url_).value(), patience);
  }

  std::string url_;
  std::unique_ptr<postgres::Server> server_;
};

class Postgres : public Store {
 public:
  Postgres() { set_up(true); }
  std::shared_ptr<runtime::Node> node() override { return node_of(terms()); }
  std::shared_ptr<runtime::Node> node_of(const core::Terms& terms) override {
    const postgres::Nodes nodes = nodes_of(terms);
    return postgres::make_nodes(nodes.addresses, nodes.keyspace).front();
  }
  std::shared_ptr<const runtime::Store> open() override { return postgres::store_of(nodes_of(terms())); }
  std::optional<LockName> own_name() override { return std::nullopt; }
  void lose_everything() override {
    server_.restart();
    set_up(false);
  }
  void go_away() override { server_.kill(); }
  std::unique_ptr<FleetData> data() override { return std::make_unique<PostgresData>(server_.url()); }

 private:
  postgres::Nodes nodes_of(const core::Terms& terms) const {
    return {{postgres::parse_url(server_.url()).value()}, {.cap = terms.cap, .set = terms.set}};
  }
  // As somebody does who makes the schema anew where it was lost: the record says nothing of that.
  void set_up(bool is_new) {
    const postgres::Address address = postgres::parse_url(server_.url()).value();
    postgres_query(server_.url(), "DROP SCHEMA IF EXISTS tenure CASCADE");
    postgres_query(server_.url(), postgres::schema_sql());
    auto caller = postgres::Caller::connect(address, std::chrono::seconds(10));
    if (is_new)
      caller->call(postgres::init_call({"e0", runtime::wall_now_ms()}, nodes_of(terms()).keyspace)).value();
  }

  PostgresServer server_;
};

template <class Kind>
std::unique_ptr<Store> make() {
  return std::make_unique<Kind>();
}

}  // namespace

std::vector<StoreKind> all_stores() {
  return {{"Memory", make<Memory>},
          {"Redis", make<Redis>},
          {"RedisBySentinel", make<RedisBySentinel>},
          {"RedisInCluster", make<RedisInCluster>, {.keeps_fleets = false}},
          {"PostgreSQL", make<Postgres>}};
}

}  // namespace tenure::test
