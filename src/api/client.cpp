#include "tenure/client.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <system_error>

#include "api/context.hpp"
#include "api/open_store.hpp"
#include "core/base/duration_reader.hpp"
#include "core/base/names.hpp"
#include "core/base/text.hpp"
#include "core/lease/timing.hpp"
#include "runtime/instance_id.hpp"

namespace tenure {

namespace {

using detail::usage;

// Whoever looks for longer sleeps better.
constexpr std::chrono::milliseconds spin_max{1};

// A sentence about what is wrong, whatever the store, or nothing.
std::optional<std::string> error_in(const ClientOptions& options) {
  if (auto error = core::name_error("the lock prefix", options.lock_prefix)) return error;
  if (auto error = core::name_error("the id", options.id); error && !options.id.empty()) return error;
  core::DurationReader reader;
  const core::Duration cap = reader.read("ttl_max", options.ttl_max);
  if (reader.error()) return reader.error();
  if (cap < core::ttl_min || cap > core::ttl_cap_max) {
    return "a ttl_max of " + core::to_text(cap) + " is not between " + core::to_text(core::ttl_min) +
           " and " + core::to_text(core::ttl_cap_max);
  }
  if (options.spin < options.spin.zero() || options.spin > spin_max) {
    return "spin must be between 0 and " + core::to_text(spin_max);
  }
  return std::nullopt;
}

}  // namespace

Client::Client(std::shared_ptr<detail::Context> context) : context_(std::move(context)) {}

tl::expected<Client, Refusal> Client::open(ClientOptions options) {
  if (auto error = error_in(options)) return tl::unexpected(usage(std::move(*error)));
  auto store = detail::open_store(options);
  if (!store) return tl::unexpected(usage(std::move(store.error())));
  return detail::Context::open(std::move(options), *store);
}

tl::expected<Client, Refusal> detail::Context::open(ClientOptions options,
                                                    const std::shared_ptr<const runtime::Store>& store) {
  if (options.id.empty()) options.id = runtime::make_instance_id();

  runtime::ClientOptions inner;
  inner.nodes = store->make_nodes();
  inner.owner = options.id;
  inner.terms = store->terms();
  inner.spin = options.spin;
  // Users know locks, elections and sessions by their names, not by their keys.
  const auto name_of = [store, prefix = options.lock_prefix](std::string key) {
    std::string name = store->name_in(std::move(key));
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
    return name;
  };
  inner.log_level = options.log_level;
  if (options.on_log) {
    inner.on_log = [tell = std::move(options.on_log), name_of](LogLine line) {
      for (auto& [key, value] : line.fields) {
        if (auto* text = std::get_if<std::string>(&value); text && key == "name") *text = name_of(*text);
      }
      tell(line);
    };
  }
  if (options.on_event) {
    inner.on_event = [tell = std::move(options.on_event), name_of](Event event) {
      event.name = name_of(std::move(event.name));
      tell(event);
    };
  }
  try {
    return Client(std::make_shared<Context>(Context{store, options.id, options.prefix, options.lock_prefix,
                                                    options.diagnose, runtime::Client(std::move(inner))}));
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
  // It was told to stop a grace before the deadline: what has obeyed returns while the lease is still held.
  const auto loss = lease->loss();
  if (!loss && lease->held()) return {};
  return tl::unexpected(Refusal{Refusal::Code::lost, lease->name() + " was lost before the work had ended: " +
                                                         describe(loss.value_or(Loss::not_renewed))});
}

int Client::descriptor() const { return context_->client.descriptor(); }

std::size_t Client::poll() const {
  const std::shared_ptr<detail::Context> context = context_;
  // A handler may let all handles go.
  return context->client.poll([&] { return context.use_count() > 1; });
}

Metrics Client::metrics() const { return context_->client.metrics(); }

const std::string& Client::id() const { return context_->id; }

void Client::close() { context_->client.close(); }

}  // namespace tenure
