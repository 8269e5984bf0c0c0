// Clients and wishes for tests that hold leases on real servers. For tests that link the runtime.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redis/net/redis_node.hpp"
#include "redis/node_set.hpp"
#include "runtime/engine/client.hpp"
#include "runtime/instance_id.hpp"
#include "support/nodes.hpp"
#include "support/wait.hpp"

namespace tenure::test {

inline constexpr std::optional<core::Duration> for_ever = std::nullopt;

struct ClientWith {
  std::string owner = runtime::make_instance_id();
  std::function<void(const LogLine&)> on_log{};
  runtime::TlsOptions tls{};
  std::string set{};  // of the nodes, where they are reached by other addresses than they were made with
};

inline runtime::Client client_of(const std::vector<redis::Address>& addresses, core::Ttl cap,
                                 ClientWith with = {}) {
  redis::Keyspace keyspace;
  keyspace.cap = cap;
  keyspace.set = with.set.empty() ? redis::node_set(addresses) : std::move(with.set);
  const bool secure = std::ranges::any_of(addresses, &redis::Address::tls);
  const runtime::Tls tls = secure ? runtime::Tls::load(with.tls).value() : runtime::Tls();
  runtime::ClientOptions options;
  options.nodes = redis::make_nodes(addresses, keyspace, tls);
  options.owner = std::move(with.owner);
  options.terms = keyspace.terms();
  options.on_log = std::move(with.on_log);
  return runtime::Client(std::move(options));
}

inline runtime::Client client_of(const Nodes& nodes, ClientWith with = {}) {
  return client_of(nodes.addresses(), nodes.cap(), std::move(with));
}

// Patient with nodes: a fifth of the TTL, so that a machine with much else to do is not taken for a dead Redis.
inline runtime::AcquireOptions wish(core::Duration ttl,
                                    std::optional<core::Duration> wait_max = core::Duration::zero()) {
  core::TimingOptions timing;
  timing.ttl = ttl;
  timing.grace = ttl / 10;
  timing.renew = ttl / 4;
  timing.node_timeout = std::min<core::Duration>(ttl / 5, std::chrono::seconds(1));
  runtime::AcquireOptions options;
  options.timing = core::make_timing(timing).value();
  options.wait_max = wait_max;
  return options;
}

// Waits for it.
inline bool is_renewed(const runtime::Lease& lease) {
  const core::Time before = lease.deadline();
  return wait_until([&] { return lease.deadline() > before; });
}

// Somebody who wants a lease, on a thread of its own. Cancelled and joined when it goes.
class Wanting {
 public:
  using Result = tl::expected<runtime::Lease, core::Refusal>;

  Wanting(runtime::Client& client, std::string key, runtime::AcquireOptions options) {
    options.on_waiting = [told = told_](const core::Refusal&) { told->test_and_set(); };
    result_ =
        std::async(std::launch::async, [&client, key = std::move(key), options, stop = stop_.get_token()] {
          return client.acquire(key, options, stop);
        });
  }
  ~Wanting() { stop_.request_stop(); }
  Wanting(Wanting&&) = default;

  // Has it been told that it has to wait?
  bool waits() const { return told_->test(); }
  bool done() const { return result_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
  void cancel() { stop_.request_stop(); }
  // Blocks; once.
  Result get() { return result_.get(); }
  bool taken() const { return !result_.valid(); }

 private:
  std::shared_ptr<std::atomic_flag> told_ = std::make_shared<std::atomic_flag>();
  std::stop_source stop_;
  std::future<Result> result_;
};

}  // namespace tenure::test
