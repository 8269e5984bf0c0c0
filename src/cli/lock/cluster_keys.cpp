#include "cli/lock/cluster_keys.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "cli/ask_all.hpp"
#include "cli/nodes/cluster_masters.hpp"
#include "redis/cluster/redirection.hpp"
#include "redis/cluster/slot.hpp"
#include "redis/failure.hpp"
#include "redis/net/cluster_call.hpp"

namespace tenure::cli {

namespace {

using core::Failure;
using redis::Command;
using redis::Value;

constexpr std::size_t keys_per_call = 250;

template <class Answer>
using Asked = tl::expected<Answer, Failure>;

// Some keys of one slot, and a script that is called for them: by its body, as who is sent elsewhere did not make it known.
struct SlotCall {
  redis::Slot slot = 0;
  std::vector<std::size_t> places{};  // of its keys among all
  Command command{};
};

template <class Make>
std::vector<SlotCall> calls_for(std::span<const std::string> keys, std::span<const std::size_t> places,
                                const Make& make) {
  std::map<redis::Slot, std::vector<std::size_t>> by_slot;
  for (const std::size_t place : places) by_slot[redis::slot_of(keys[place])].push_back(place);
  std::vector<SlotCall> calls;
  for (const auto& [slot, its_places] : by_slot) {
    for (std::size_t from = 0; from < its_places.size(); from += keys_per_call) {
      const auto some =
          std::span(its_places).subspan(from, std::min(keys_per_call, its_places.size() - from));
      SlotCall call{.slot = slot, .places = {some.begin(), some.end()}};
      std::vector<std::string> its_keys;
      for (const std::size_t place : some) its_keys.push_back(keys[place]);
      call.command = make(slot, std::move(its_keys));
      calls.push_back(std::move(call));
    }
  }
  return calls;
}

std::vector<std::size_t> all_places(std::size_t count) {
  std::vector<std::size_t> places(count);
  for (std::size_t i = 0; i < count; ++i) places[i] = i;
  return places;
}

std::vector<SlotCall> look_calls(std::span<const std::string> keys, std::span<const std::size_t> places,
                                 const redis::Keyspace& keyspace) {
  return calls_for(keys, places, [&](redis::Slot slot, std::vector<std::string> its_keys) {
    return redis::script_call(core::LookRequest{std::move(its_keys)}, keyspace.of_slot(slot), "",
                              redis::CallBy::body);
  });
}

// Does a server also answer for slots that it is about to take over?
enum class Importing : std::uint8_t { no, yes };

// One answer for each call. What is elsewhere says where.
Asked<std::vector<Value>> ask_here(redis::Caller& redis, std::span<const SlotCall> calls,
                                   Importing importing) {
  constexpr std::size_t calls_per_part = 250;
  std::vector<Value> values;
  for (std::size_t from = 0; from < calls.size(); from += calls_per_part) {
    std::vector<Command> commands;
    for (const SlotCall& call : calls.subspan(from, std::min(calls_per_part, calls.size() - from))) {
      if (importing == Importing::yes) commands.push_back({"ASKING"});
      commands.push_back(call.command);
    }
    auto answers = redis.call_all(commands);
    if (!answers) return tl::unexpected(std::move(answers.error()));
    const std::size_t step = importing == Importing::yes ? 2 : 1;
    for (std::size_t i = step - 1; i < answers->size(); i += step) values.push_back(std::move((*answers)[i]));
  }
  return values;
}

bool is_split(const Value& value) {
  const auto redirection = redis::read_redirection(value);
  return redirection && redirection->kind == redis::Redirection::Kind::try_again;
}

// While a slot moves, a script that touches two keys is refused unless both are on one server. So each is asked for alone.
template <class Ask>
KeyLooked look_by_pieces(const std::string& key, const redis::Keyspace& keyspace, const Ask& ask) {
  const Asked<Value> left = ask(Command{"PTTL", key});
  if (!left) return tl::unexpected(left.error());
  const Asked<Value> value = ask(Command{"GET", key});  // no string: an error
  const Asked<Value> waiters = ask(Command{"LLEN", keyspace.of_slot(redis::slot_of(key)).queue(key)});
  return redis::FoundKey{value ? value->text : "", core::Ttl(left->integer), waiters ? waiters->integer : 0};
}

Asked<Value> ask_here(redis::Caller& redis, const Command& command) {
  const std::array commands{Command{"ASKING"}, command};
  auto answers = redis.call_all(commands);
  if (!answers) return tl::unexpected(std::move(answers.error()));
  if (answers->back().kind == Value::Kind::error) {
    return tl::unexpected(redis::classify(answers->back().text));
  }
  return std::move(answers->back());
}

}  // namespace

tl::expected<std::vector<redis::FoundKey>, Failure> look_at_own_keys(redis::Caller& redis,
                                                                     std::span<const std::string> keys,
                                                                     const redis::Keyspace& keyspace) {
  const auto calls = look_calls(keys, all_places(keys.size()), keyspace);
  const auto values = ask_here(redis, calls, Importing::yes);
  if (!values) return tl::unexpected(values.error());
  std::vector<redis::FoundKey> found(keys.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Value& value = (*values)[i];
    if (is_split(value)) {
      for (const std::size_t place : calls[i].places) {
        auto shown = look_by_pieces(keys[place], keyspace,
                                    [&](const Command& command) { return ask_here(redis, command); });
        if (shown) found[place] = std::move(*shown);
      }
      continue;
    }
    if (redis::read_redirection(value)) continue;
    if (value.kind == Value::Kind::error) return tl::unexpected(redis::classify(value.text));
    auto shown = redis::found_keys(value, calls[i].places.size());
    if (!shown) return tl::unexpected(shown.error());
    for (std::size_t j = 0; j < shown->size(); ++j) found[calls[i].places[j]] = std::move((*shown)[j]);
  }
  return found;
}

tl::expected<redis::FoundLeases, Failure> find_leases_among_own(redis::Caller& redis,
                                                                std::span<const std::string> keys) {
  const auto calls =
      calls_for(keys, all_places(keys.size()), [](redis::Slot, const std::vector<std::string>& its_keys) {
        return redis::find_leases_call(its_keys);
      });
  const auto values = ask_here(redis, calls, Importing::yes);
  if (!values) return tl::unexpected(values.error());
  redis::FoundLeases all;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Value& value = (*values)[i];
    if (value.kind == Value::Kind::error) return tl::unexpected(redis::classify(value.text));
    auto found = redis::found_leases(value, calls[i].places.size());
    if (!found) return tl::unexpected(found.error());
    all.hidden += found->hidden;
    for (auto& [at, shown] : found->leases) all.leases.push_back({calls[i].places[at], std::move(shown)});
  }
  return all;
}

std::vector<KeyLooked> look_at_keys(const redis::Nodes& cluster, const std::vector<std::string>& keys) {
  const auto map = redis::find_slot_map(cluster.addresses.front(), cluster.tls, ask_timeout);
  if (!map) return {keys.size(), tl::unexpected(map.error())};
  std::vector<KeyLooked> looked(keys.size());
  const std::vector<Master> masters = masters_in(*map);
  std::vector<std::vector<std::size_t>> places(masters.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const redis::HostPort* const where = map->master_of(redis::slot_of(keys[i]));
    const auto master = where == nullptr ? masters.end() : std::ranges::find(masters, *where, &Master::where);
    if (master != masters.end()) {
      places[static_cast<std::size_t>(master - masters.begin())].push_back(i);
    } else {
      looked[i] = tl::unexpected(nobody_serves(redis::slot_of(keys[i])));
    }
  }
  const auto take = [&](const SlotCall& call, const Asked<Value>& value) {
    const auto shown = value.and_then([&](const Value& it) -> Asked<std::vector<redis::FoundKey>> {
      if (it.kind == Value::Kind::error) return tl::unexpected(redis::classify(it.text));
      return redis::found_keys(it, call.places.size());
    });
    for (std::size_t i = 0; i < call.places.size(); ++i) {
      looked[call.places[i]] = shown.map([&](const std::vector<redis::FoundKey>& found) { return found[i]; });
    }
  };
  // Each thread has keys of its own.
  runtime::at_once(masters.size(), [&](std::size_t i) {
    if (places[i].empty()) return;
    const auto calls = look_calls(keys, places[i], cluster.keyspace);
    auto redis = redis::Caller::connect(redis::server_of(cluster.addresses.front(), masters[i].where),
                                        ask_timeout, cluster.tls);
    const auto values = redis.and_then([&](redis::Caller& it) { return ask_here(it, calls, Importing::no); });
    for (std::size_t j = 0; j < calls.size(); ++j) {
      const SlotCall& call = calls[j];
      if (!values) {
        take(call, tl::unexpected(at_master(masters[i].where, values.error())));
      } else if (redis::read_redirection((*values)[j])) {
        for (const std::size_t place : call.places) {
          looked[place] = look_by_pieces(keys[place], cluster.keyspace, [&](const Command& command) {
            return ask_slot(cluster, call.slot, command, ask_timeout);
          });
        }
      } else {
        take(call, (*values)[j]);
      }
    }
  });
  return looked;
}

}  // namespace tenure::cli
