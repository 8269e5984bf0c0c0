#include "tenure/client.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <system_error>

#include "api/context.hpp"
#include "core/base/duration_reader.hpp"
#include "core/base/names.hpp"
#include "core/base/text.hpp"
#include "core/lease/timing.hpp"
#include "redis/key_names.hpp"
#include "redis/net/redis_node.hpp"
#include "redis/node_set.hpp"
#include "runtime/instance_id.hpp"

namespace tenure {

namespace {

using detail::usage;

// A sentence about what is wrong, or nothing.
std::optional<std::string> error_in(const ClientOptions& options) {
  if (auto error = redis::prefix_error(options.prefix)) return error;
  if (auto error = core::name_error("the lock prefix", options.lock_prefix)) return error;
  if (auto error = core::name_error("the id", options.id); error && !options.id.empty()) return error;
  if (auto error = redis::node_set_error(options.node_set)) return error;
  core::DurationReader reader;
  const core::Duration cap = reader.read("ttl_max", options.ttl_max);
  if (reader.error()) return reader.error();
  if (cap < core::ttl_min || cap > core::ttl_cap_max) {
    return "a ttl_max of " + core::to_text(cap) + " is not between " + core::to_text(core::ttl_min) +
           " and " + core::to_text(core::ttl_cap_max);
  }
  return std::nullopt;
}

tl::expected<redis::Nodes, std::string> nodes_of(const ClientOptions& options) {
  auto addresses = redis::parse_addresses(options.nodes);
  if (!addresses) return tl::unexpected(std::move(addresses.error()));
  redis::Nodes nodes{std::move(*addresses)};
  if (auto error = redis::error_in(nodes.addresses)) return tl::unexpected(std::move(*error));
  nodes.keyspace = {options.prefix, options.ttl_max, redis::node_set(nodes.addresses, options.node_set)};
  nodes.tls_options = options.tls;
  if (std::ranges::any_of(nodes.addresses, &redis::Address::tls)) {
    auto tls = runtime::Tls::load(nodes.tls_options);
    if (!tls) return tl::unexpected(std::move(tls.error()));
    nodes.tls = std::move(*tls);
  } else if (nodes.tls_options != runtime::TlsOptions{}) {
    return tl::unexpected(
        std::string("TLS is set up, and no address asks for it: those begin with rediss://"));
  }
  return nodes;
}

}  // namespace

Client::Client(std::shared_ptr<detail::Context> context) : context_(std::move(context)) {}

tl::expected<Client, Refusal> Client::open(ClientOptions options) {
  if (auto error = error_in(options)) return tl::unexpected(usage(std::move(*error)));
  auto nodes = nodes_of(options);
  if (!nodes) return tl::unexpected(usage(std::move(nodes.error())));
  if (options.id.empty()) options.id = runtime::make_instance_id();

  runtime::ClientOptions inner{redis::make_nodes(nodes->addresses, nodes->keyspace, nodes->tls),
                               options.id,
                               nodes->keyspace.terms(),
                               std::move(options.log),
                               {}};
  if (options.on_event) {
    // Users know locks, elections and sessions by their names, not by their keys.
    inner.on_event = [tell = std::move(options.on_event), root = nodes->keyspace.root(),
                      prefix = options.lock_prefix](Event event) {
      for (const auto& begin : {root, prefix}) {
        if (event.name.starts_with(begin)) event.name.erase(0, begin.size());
      }
      tell(event);
    };
  }
  try {
    return Client(std::make_shared<detail::Context>(detail::Context{
        std::move(*nodes), options.id, options.lock_prefix, runtime::Client(std::move(inner))}));
  } catch (const std::system_error& error) {
    return tl::unexpected(
        Refusal{Refusal::Code::system, std::string("this machine refuses: ") + error.what()});
  }
}

Lock Client::lock(std::string name, LockOptions options) const {
  return {context_, std::move(name), options};
}

tl::expected<std::vector<Lease>, Refusal> Client::acquire_all(const std::vector<std::string>& names,
                                                              LockOptions options, const Wait& wait,
                                                              const std::stop_token& stop) const {
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) -> const std::string& { return names[i]; });
  const auto same = [&](std::size_t one, std::size_t other) { return names[one] == names[other]; };
  if (const auto twice = std::ranges::adjacent_find(order, same); twice != order.end()) {
    return tl::unexpected(usage("the name " + core::printable(names[*twice]) + " is given twice"));
  }

  const auto began = BootClock::now();
  // Whoever has lost one of them waits for no more.
  std::stop_source give_up;
  const auto stop_waiting = [&] { give_up.request_stop(); };
  const std::stop_callback on_stop(stop, stop_waiting);
  std::vector<std::optional<Lease>> taken(names.size());
  std::deque<std::stop_callback<decltype(stop_waiting)>> on_lost;
  const auto find_lost = [&] {
    return std::ranges::find_if(
        taken, [](const auto& lease) { return lease && (lease->lost().stop_requested() || !lease->held()); });
  };
  for (const std::size_t i : order) {
    Wait left = wait;
    if (left.wait_max && *left.wait_max > std::chrono::milliseconds::zero()) {
      // At least a moment: zero would be one try, which is something else.
      const auto waited = std::chrono::floor<std::chrono::milliseconds>(BootClock::now() - began);
      left.wait_max = std::max(*wait.wait_max - waited, std::chrono::milliseconds(1));
    }
    auto lease = lock(names[i], options).acquire(left, give_up.get_token());
    // Those that were taken go with the vector.
    if (const auto lost = find_lost(); lost != taken.end()) {
      return tl::unexpected(
          Refusal{Refusal::Code::lost, (*lost)->name() + " was lost before all names were taken"});
    }
    if (!lease) return tl::unexpected(std::move(lease.error()));
    on_lost.emplace_back(lease->lost(), stop_waiting);
    taken[i] = std::move(*lease);
  }
  std::vector<Lease> leases;
  leases.reserve(names.size());
  for (auto& lease : taken) leases.push_back(std::move(*lease));
  return leases;
}

tl::expected<void, Refusal> Client::with_lock(std::string name, const std::function<void(const Lease&)>& work,
                                              LockOptions options, const Wait& wait,
                                              const std::stop_token& stop) const {
  auto lease = lock(std::move(name), options).acquire(wait, stop);
  if (!lease) return tl::unexpected(std::move(lease.error()));
  work(*lease);
  const bool held = lease->held();
  const auto loss = lease->loss();
  if (held) return {};
  return tl::unexpected(
      Refusal{Refusal::Code::lost, lease->name() + " was lost before the work had ended: " +
                                       std::string(to_string(loss.value_or(Loss::not_renewed)))});
}

const std::string& Client::id() const { return context_->id; }

void Client::close() { context_->client.close(); }

}  // namespace tenure
