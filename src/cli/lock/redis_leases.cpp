#include "cli/lock/redis_leases.hpp"

#include <algorithm>
#include <mutex>
#include <span>
#include <utility>

#include "cli/ask_all.hpp"
#include "cli/lock/cluster_keys.hpp"
#include "cli/lock/lock_answers.hpp"
#include "cli/nodes/cluster_masters.hpp"
#include "redis/grant_text.hpp"
#include "redis/lock_call.hpp"
#include "redis/net/scan.hpp"
#include "redis/session_call.hpp"

namespace tenure::cli {

namespace {

using core::Failure;

constexpr std::size_t keys_per_call = 500;

// Where keys are: all in one place, or each in its slot of a Cluster.
struct Place {
  const redis::Keyspace& keyspace;
  bool has_slots = false;
};

Place place_in(const Nodes& nodes) { return {nodes.keyspace, cluster_in(nodes) != nullptr}; }

// Takes what is found for each of the keys, in their order.
template <class Take>
tl::expected<void, Failure> look_at(redis::Caller& redis, const std::vector<std::string>& keys,
                                    const Place& place, const Take& take) {
  if (place.has_slots) {
    auto shown = look_at_own_keys(redis, keys, place.keyspace);
    if (!shown) return tl::unexpected(shown.error());
    for (std::size_t i = 0; i < keys.size(); ++i) take(keys[i], std::move((*shown)[i]));
    return {};
  }
  for (std::size_t from = 0; from < keys.size(); from += keys_per_call) {
    const auto some = std::span(keys).subspan(from, std::min(keys_per_call, keys.size() - from));
    const core::LookRequest request{{some.begin(), some.end()}};
    const auto answer = redis.call(redis::script_call(request, place.keyspace, "", redis::CallBy::body));
    if (!answer) return tl::unexpected(answer.error());
    auto shown = redis::found_keys(*answer, some.size());
    if (!shown) return tl::unexpected(shown.error());
    for (std::size_t i = 0; i < some.size(); ++i) take(some[i], std::move((*shown)[i]));
  }
  return {};
}

auto into(ByKey& found) {
  return [&found](const std::string& key, redis::FoundKey&& shown) { found[key] = std::move(shown); };
}

tl::expected<ByKey, Failure> scan(redis::Caller& redis, const std::string& prefix, const Place& place) {
  ByKey found;
  const auto take = [&](std::vector<std::string> keys) {
    std::erase_if(keys, [&](const std::string& key) { return place.keyspace.owns(key); });
    return look_at(redis, keys, place, into(found));
  };
  if (auto scanned = redis::scan_keys(redis, prefix, take); !scanned) {
    return tl::unexpected(scanned.error());
  }
  std::erase_if(found, [](const auto& it) { return !it.second.exists(); });  // expired since
  return found;
}

// What all masters show together, or why one of them shows nothing.
template <class Ask>
tl::expected<ByKey, Failure> ask_cluster(const Nodes& cluster, std::span<const Master> masters,
                                         const Ask& ask) {
  ByKey all;
  for (auto& answer : ask_masters<ByKey>(cluster, masters, ask_timeout, ask)) {
    if (!answer) return tl::unexpected(std::move(answer.error()));
    all.merge(*answer);
  }
  return all;
}

// What each node shows of all its keys.
template <class Ask>
KeysShown ask_for_all(const Nodes& nodes, const Ask& ask) {
  if (cluster_in(nodes) == nullptr) return ask_all<ByKey>(nodes, ask);
  return {find_all_masters(nodes, ask_timeout).and_then([&](const std::vector<Master>& masters) {
    return ask_cluster(nodes, masters, ask);
  })};
}

// Of these keys in a Cluster, all or none.
tl::expected<std::vector<redis::FoundKey>, Failure> look_in_cluster(const Nodes& cluster,
                                                                    const std::vector<std::string>& keys) {
  std::vector<redis::FoundKey> found;
  found.reserve(keys.size());
  for (KeyLooked& it : look_at_keys(cluster, keys)) {
    if (!it) return tl::unexpected(std::move(it.error()));
    found.push_back(std::move(*it));
  }
  return found;
}

// What each node shows for these names, in their order; handed over name by name.
template <class Take>
NodeFailures look_at_names(const Nodes& nodes, const std::string& key_prefix,
                           const std::vector<std::string>& names, const Take& take) {
  std::vector<std::string> keys;
  keys.reserve(names.size());
  for (const auto& name : names) keys.push_back(key_prefix + name);
  using Found = std::vector<redis::FoundKey>;
  runtime::Answers<Found> answers;
  if (cluster_in(nodes) != nullptr) {
    answers.push_back(look_in_cluster(nodes, keys));
  } else {
    answers = ask_all<Found>(nodes, [&](redis::Caller& redis, std::size_t) -> tl::expected<Found, Failure> {
      Found found;
      found.reserve(keys.size());
      const auto add = [&](const std::string&, redis::FoundKey&& it) { found.push_back(std::move(it)); };
      if (const auto looked = look_at(redis, keys, place_in(nodes), add); !looked) {
        return tl::unexpected(looked.error());
      }
      return found;
    });
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    FoundKeys shown(answers.size());
    for (std::size_t node = 0; node < answers.size(); ++node) {
      if (answers[node]) shown[node] = std::move((*answers[node])[i]);
    }
    take(view_of(names[i], std::move(shown)));
  }
  return failures_in(answers);
}

// One node's leases of all kinds, found among keys that may be anything.
class LeaseFinder {
 public:
  LeaseFinder(const Nodes& nodes, const std::string& lock_prefix, ShowSessions sessions)
      : place_(place_in(nodes)), keyspace_(nodes.keyspace), lock_prefix_(lock_prefix), sessions_(sessions) {}

  tl::expected<ByKey, Failure> find_all(redis::Caller& redis) {
    const auto take = [&](const std::vector<std::string>& keys) { return take_page(redis, keys); };
    auto found = found_unless(redis::scan_keys(redis, keyspace_.root(), take, limits));
    if (found) std::erase_if(*found, [](const auto& it) { return !it.second.exists(); });  // expired since
    return found;
  }
  tl::expected<ByKey, Failure> find_among(redis::Caller& redis, const std::vector<std::string>& keys) {
    return found_unless(take_page(redis, keys));
  }
  std::size_t hidden() const { return hidden_; }

 private:
  tl::expected<ByKey, Failure> found_unless(const tl::expected<void, Failure>& failed) {
    if (!failed) return tl::unexpected(failed.error());
    return std::move(found_);
  }

  // Most keys are forgotten at once: of other people's there may be many more than fit into memory.
  static constexpr redis::ScanLimits limits{.bytes = std::size_t{1} << 30U};

  // Redis does nothing else for as long as one call takes, about a millisecond for so many.
  static constexpr std::size_t others_per_call = 250;

  // Those that are leases among these. What is only counted needs no look at its queue.
  tl::expected<void, Failure> add_leases(redis::Caller& redis, std::span<const std::string> others,
                                         std::vector<std::string>& to_look_at) {
    auto found = place_.has_slots
                     ? find_leases_among_own(redis, others)
                     : redis.call(redis::find_leases_call(others)).and_then([&](const redis::Value& answer) {
                         return redis::found_leases(answer, others.size());
                       });
    if (!found) return tl::unexpected(found.error());
    hidden_ += found->hidden;
    for (auto& [at, shown] : found->leases) {
      const auto& key = others[at];
      const bool counted =
          sessions_ == ShowSessions::counted &&
          lease_name(key.substr(keyspace_.root().size()), lock_prefix_).kind == LeaseKind::session;
      if (counted) {
        found_[key] = std::move(shown);
      } else {
        to_look_at.push_back(key);
      }
    }
    return {};
  }

  tl::expected<void, Failure> take_page(redis::Caller& redis, const std::vector<std::string>& keys) {
    std::vector<std::string> to_look_at;
    std::vector<std::string> others;
    for (const auto& key : keys) {
      if (keyspace_.owns(key)) continue;
      (key.starts_with(keyspace_.key(lock_prefix_)) ? to_look_at : others).push_back(key);
    }
    for (std::size_t from = 0; from < others.size(); from += others_per_call) {
      const auto some = std::span(others).subspan(from, std::min(others_per_call, others.size() - from));
      if (auto added = add_leases(redis, some, to_look_at); !added) return added;
    }
    return look_at(redis, to_look_at, place_, into(found_));
  }

  Place place_;
  const redis::Keyspace& keyspace_;
  const std::string& lock_prefix_;
  ShowSessions sessions_;
  ByKey found_{};
  std::size_t hidden_ = 0;
};

// How many keys could not be looked at: of nodes that show the same, the most on any; of the masters of a Cluster, all together.
class HiddenCount {
 public:
  explicit HiddenCount(const Nodes& nodes) : adds_up_(cluster_in(nodes) != nullptr) {}

  void note(std::size_t count) {
    const std::scoped_lock lock(mutex_);
    count_ = adds_up_ ? count_ + count : std::max(count_, count);
  }
  std::size_t count() const { return count_; }  // when all have been noted

 private:
  bool adds_up_;
  std::mutex mutex_;
  std::size_t count_ = 0;
};

// Of keys that may be anything: what stands under those with the prefix of locks, and leases under the others.
tl::expected<ByKey, Failure> find_in_cluster(const Nodes& cluster, const std::vector<std::string>& keys,
                                             const std::string& lock_prefix, HiddenCount& hidden) {
  ByKey found;
  std::vector<KeyLooked> looked = look_at_keys(cluster, keys);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool is_lock = keys[i].starts_with(cluster.keyspace.key(lock_prefix));
    if (!looked[i]) {
      if (is_lock || looked[i].error().code != core::FailureCode::no_permission) {
        return tl::unexpected(std::move(looked[i].error()));
      }
      hidden.note(1);
      continue;
    }
    redis::FoundKey& shown = *looked[i];
    const bool is_lease = shown.left >= core::Ttl(0) && redis::grant_in(shown.value) != shown.value;
    if (shown.exists() && (is_lock || is_lease)) found[keys[i]] = std::move(shown);
  }
  return found;
}

}  // namespace

Looked look_at_all_locks(const Nodes& nodes, const std::string& key_prefix) {
  const auto answers = ask_for_all(
      nodes, [&](redis::Caller& redis, std::size_t) { return scan(redis, key_prefix, place_in(nodes)); });
  return leases_under(answers, key_prefix);
}

Looked look_at_lock(const Nodes& nodes, const std::string& key_prefix, const std::string& name) {
  Looked looked;
  looked.failures = look_at_names(nodes, key_prefix, {name},
                                  [&](LockView&& lock) { looked.locks.push_back(std::move(lock)); });
  return looked;
}

LeasesLooked look_at_leases(const Nodes& nodes, const std::string& key_prefix,
                            const std::vector<std::string>& names) {
  LeasesLooked looked;
  looked.leases.reserve(names.size());
  // Of many, only as much as is shown of them.
  looked.failures = look_at_names(nodes, key_prefix, names, [&](LockView&& lock) {
    looked.leases.push_back(static_cast<LeaseView&&>(lock));
  });
  return looked;
}

Looked look_at_name(const Nodes& nodes, const LeaseTarget& target, const std::string& name) {
  const auto& keyspace = nodes.keyspace;
  const redis::SessionKeys sessions{.fleet = target.fleet, .root = keyspace.root()};
  const std::vector<std::string> keys{keyspace.key(target.lock_prefix + name), keyspace.key(name),
                                      sessions.leases() + name};
  HiddenCount hidden(nodes);
  KeysShown answers;
  if (cluster_in(nodes) != nullptr) {
    answers.push_back(find_in_cluster(nodes, keys, target.lock_prefix, hidden));
  } else {
    answers = ask_all<ByKey>(nodes, [&](redis::Caller& redis, std::size_t) {
      LeaseFinder finder(nodes, target.lock_prefix, ShowSessions::listed);
      auto found = finder.find_among(redis, keys);
      hidden.note(finder.hidden());
      return found;
    });
  }
  Looked looked = leases_of_name(answers, keys, keyspace.root(), target.lock_prefix);
  looked.hidden = hidden.count();
  return looked;
}

AllLeases look_at_all_leases(const Nodes& nodes, const std::string& lock_prefix, ShowSessions sessions) {
  HiddenCount hidden(nodes);
  const auto answers = ask_for_all(nodes, [&](redis::Caller& redis, std::size_t) {
    LeaseFinder finder(nodes, lock_prefix, sessions);
    auto found = finder.find_all(redis);
    hidden.note(finder.hidden());
    return found;
  });
  AllLeases leases = leases_of_all(answers, nodes.keyspace.root(), lock_prefix, sessions);
  leases.looked.hidden = hidden.count();
  return leases;
}

}  // namespace tenure::cli
