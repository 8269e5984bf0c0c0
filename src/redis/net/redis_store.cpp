#include "redis/net/redis_store.hpp"

#include <utility>
#include <variant>

#include "core/lease/node_set.hpp"
#include "redis/key_names.hpp"
#include "redis/net/ask_all.hpp"
#include "redis/net/cluster_call.hpp"
#include "redis/net/redis_node.hpp"
#include "redis/net/speech.hpp"
#include "redis/node_set.hpp"
#include "redis/record_text.hpp"
#include "redis/session_call.hpp"
#include "redis/text/nodes.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/text/not_open_text.hpp"

namespace tenure::redis {

namespace {

constexpr std::string_view no_fleet_data =
    "a fleet's sessions, heartbeats and results cannot be in a Redis Cluster: its leases can, and its data "
    "has to name "
    "another store (a single Redis, with Sentinels or without, or a PostgreSQL)";

class RedisStore : public runtime::Store {
 public:
  explicit RedisStore(Nodes nodes) : Store(nodes.names(), nodes.keyspace.terms()), nodes_(std::move(nodes)) {}

  std::vector<std::shared_ptr<runtime::Node>> make_nodes() const override {
    return redis::make_nodes(nodes_.addresses, nodes_.keyspace, nodes_.tls);
  }

  tl::expected<std::string, std::string> lock_key(const std::string& prefix,
                                                  const std::string& name) const override {
    return redis::lock_key(prefix, name, nodes_.keyspace);
  }

  std::string name_in(std::string key) const override {
    const std::string root = nodes_.keyspace.root();
    if (key.starts_with(root)) key.erase(0, root.size());
    return key;
  }

  tl::expected<std::string, std::string> fleet_keys(const std::string& fleet) const override {
    if (auto error = fleet_error(fleet, nodes_.keyspace)) return tl::unexpected(std::move(*error));
    return SessionKeys{.fleet = fleet, .root = nodes_.keyspace.root()}.base();
  }

  tl::expected<runtime::DataPlace, std::string> fleet_data(const std::string& url,
                                                           const Tls& tls) const override {
    const Address& first = nodes_.addresses.front();
    if (url.empty()) {
      if (first.kind == Address::Kind::cluster) return tl::unexpected(std::string(no_fleet_data));
      if (tls != Tls{}) {
        return tl::unexpected(std::string("data_tls is set, and data names no Redis that it is for"));
      }
      return runtime::DataPlace{{whole_url(first), first.tls ? nodes_.tls_options : Tls{}, !nodes_.several()},
                                nullptr};
    }
    const auto address = parse_url(url);
    if (!address) return tl::unexpected(address.error());
    if (address->kind == Address::Kind::cluster) return tl::unexpected(std::string(no_fleet_data));
    const auto loaded = load_tls({*address}, tls);
    if (!loaded) return tl::unexpected(loaded.error());
    const bool with_leases = !nodes_.several() && same_database(*address, first);
    return runtime::DataPlace{{url, tls, with_leases}, make_data_node(*address, *loaded)};
  }

  runtime::NotOpenText not_open_text(const core::Refusal& refusal, runtime::Patience patience,
                                     std::optional<core::Duration> opens_in) const override {
    const runtime::RecordWords words{"Redis", "the key " + nodes_.keyspace.record(), std::string(went_back)};
    return runtime::not_open_text(refusal, *this, words, patience, opens_in);
  }

  std::vector<core::NodeFailure> diagnosed(std::vector<core::NodeFailure> failures) const override {
    return redis::diagnosed(std::move(failures), nodes_);
  }

  runtime::Answers<core::KeyState> look(const std::string& key, core::Duration timeout) const override {
    using Looked = tl::expected<core::KeyState, core::Failure>;
    const core::Request request = core::LookRequest{{key}};
    const auto looked = [](core::Reply reply) -> Looked {
      if (auto* states = std::get_if<core::KeyStates>(&reply)) return std::move(states->front());
      const auto* failure = std::get_if<core::Failure>(&reply);
      return tl::unexpected(failure != nullptr ? *failure : core::misfit);
    };
    if (is_cluster()) {
      return of_clusters<core::KeyState>([&](const Address& cluster) {
        return looked(ask_cluster(cluster, nodes_.keyspace, nodes_.tls, request, timeout));
      });
    }
    const core::Time deadline = runtime::boot_now() + timeout;
    return ask_all<core::KeyState>(nodes_, timeout, [&](Caller& redis, std::size_t) -> Looked {
      const auto answer = redis.call(script_call(request, nodes_.keyspace, "", CallBy::body), deadline);
      if (!answer) return tl::unexpected(answer.error());
      return looked(script_reply(request, *answer));
    });
  }

  runtime::Answers<core::Duration> ping(core::Duration timeout) const override {
    using Pinged = tl::expected<core::Duration, core::Failure>;
    if (is_cluster()) {
      return of_clusters<core::Duration>(
          [&](const Address& cluster) { return ping_cluster(cluster, nodes_.tls, timeout); });
    }
    const core::Time deadline = runtime::boot_now() + timeout;
    return ask_all<core::Duration>(nodes_, timeout, [&](Caller& redis, std::size_t) -> Pinged {
      const core::Time before = runtime::boot_now();
      return redis.call({"PING"}, deadline).map([&](const Value&) { return runtime::boot_now() - before; });
    });
  }

 private:
  bool is_cluster() const { return nodes_.addresses.front().kind == Address::Kind::cluster; }

  template <class Answer, class Ask>
  runtime::Answers<Answer> of_clusters(const Ask& ask) const {
    runtime::Answers<Answer> answers(nodes_.addresses.size());
    runtime::at_once(answers.size(), [&](std::size_t i) { answers[i] = ask(nodes_.addresses[i]); });
    return answers;
  }

  Nodes nodes_;
};

tl::expected<Nodes, std::string> nodes_of(const ClientOptions& options) {
  auto addresses = parse_addresses(options.nodes);
  if (!addresses) return tl::unexpected(std::move(addresses.error()));
  Nodes nodes{std::move(*addresses)};
  if (auto error = error_in(nodes.addresses)) return tl::unexpected(std::move(*error));
  nodes.keyspace = {options.prefix, options.ttl_max, node_set(nodes.addresses, options.node_set)};
  nodes.tls_options = options.tls;
  auto tls = load_tls(nodes.addresses, nodes.tls_options);
  if (!tls) return tl::unexpected(std::move(tls.error()));
  nodes.tls = std::move(*tls);
  return nodes;
}

}  // namespace

std::shared_ptr<const runtime::Store> store_of(Nodes nodes) {
  return std::make_shared<const RedisStore>(std::move(nodes));
}

tl::expected<std::shared_ptr<const runtime::Store>, std::string> open_store(const ClientOptions& options) {
  if (auto error = prefix_error(options.prefix)) return tl::unexpected(std::move(*error));
  if (auto error = core::node_set_error(options.node_set)) return tl::unexpected(std::move(*error));
  auto nodes = nodes_of(options);
  if (!nodes) return tl::unexpected(std::move(nodes.error()));
  if (nodes->addresses.front().kind == Address::Kind::cluster) {
    if (auto error = cluster_prefix_error(options.prefix)) return tl::unexpected(std::move(*error));
  }
  return store_of(std::move(*nodes));
}

}  // namespace tenure::redis
