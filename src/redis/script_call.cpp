#include "redis/script_call.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/number.hpp"
#include "redis/beat_text.hpp"
#include "redis/cluster/slot.hpp"
#include "redis/failure.hpp"
#include "redis/grant_text.hpp"
#include "redis/list_text.hpp"
#include "redis/record_text.hpp"

namespace tenure::redis {

namespace {

using core::KeyAnswer;

Command begin_call(const Script& script, CallBy by, std::size_t keys, std::size_t arguments) {
  Command command;
  command.reserve(4 + keys + arguments);  // the connection may add what it has seen
  command.emplace_back(by == CallBy::sha1 ? "EVALSHA" : "EVAL");
  command.emplace_back(by == CallBy::sha1 ? script.sha1 : script.body);
  command.push_back(std::to_string(keys));
  return command;
}

// The first so many words are keys.
template <std::size_t keys, class... Words>
Command call(const Script& script, CallBy by, Words&&... words) {
  Command command = begin_call(script, by, keys, sizeof...(words) - keys);
  (command.emplace_back(std::forward<Words>(words)), ...);
  return command;
}

std::string number(core::Ttl ttl) { return std::to_string(ttl.count()); }

Command acquire_call(const core::AcquireRequest& request, const Keyspace& keyspace, std::string_view epoch,
                     CallBy by) {
  const bool waits = request.ticket.has_value();
  const bool proposes = request.proposal != 0;
  Command command =
      begin_call(acquire_script, by, waits ? 4 : 3, std::size_t{waits ? 7U : 3U} + (proposes ? 1 : 0));
  command.push_back(request.key);
  command.push_back(keyspace.record());
  command.push_back(keyspace.fence());
  if (waits) command.push_back(keyspace.queue(request.key));
  command.push_back(admission_to_open(keyspace.terms(), epoch));
  command.push_back(stamp(request.grant));
  command.push_back(number(request.ttl));
  if (waits) {
    command.push_back(stamp(*request.ticket));
    // Who waits looks again within the cap: a queue twice as old is one of the dead.
    command.push_back(number(2 * keyspace.cap));
    command.push_back(keyspace.channels());
    command.push_back(number(turn_of_waiter));
  }
  if (proposes) command.push_back(std::to_string(request.proposal));
  return command;
}

Command reassert_call(const core::ReassertRequest& request, const Keyspace& keyspace, std::string_view epoch,
                      CallBy by) {
  const auto& items = request.items;
  Command command = begin_call(reassert_script, by, items.size() + 2, 2 * items.size() + 3);
  command.push_back(keyspace.record());
  command.push_back(keyspace.fence());
  for (const auto& item : items) command.push_back(item.key);
  command.push_back(admission(keyspace.terms(), epoch));
  command.push_back(number(request.ttl));
  command.emplace_back(request.heal ? "1" : "0");
  for (const auto& item : items) {
    command.push_back(stamp(item.grant));
    command.push_back(std::to_string(item.token));
  }
  return command;
}

Command beat_call(const core::BeatRequest& request, CallBy by) {
  const std::string& fleet = request.fleet;
  const std::string instances = Keyspace::instances(fleet);
  return call<4>(beat_script, by, instances + request.id, fleet + "nodes", fleet + "sessions:version",
                 Keyspace::list(fleet, request.id), beat_opening(request.beat.boot), beat_text(request.beat),
                 number(request.ttl), request.id, instances, Keyspace::changes(fleet),
                 list_text(request.owned));
}

Command lists_call(const core::ListsRequest& request) {
  Command command{"MGET"};
  for (const auto& id : request.ids) command.push_back(Keyspace::list(request.fleet, id));
  return command;
}

core::Failure misfit(const std::string& what) {
  return {core::Applied::perhaps, core::FailureCode::protocol, "a script's answer does not fit: " + what};
}

const core::Failure uncountable{core::Applied::perhaps, core::FailureCode::server,
                                "its counter of tokens is so large that two grants could have the same"};

core::Reply acquire_reply(const Value& value) {
  if (value.kind == Value::Kind::integer && value.integer > 0) {
    const auto token = static_cast<core::Token>(value.integer);
    if (token > core::token_max) return uncountable;
    return core::Granted{token};
  }
  if (value.kind == Value::Kind::string) return core::NotOpen{found_record(value.text)};
  const auto& items = value.items;
  if (value.kind == Value::Kind::array && items.size() == 3 && items[0].kind == Value::Kind::string &&
      items[1].kind == Value::Kind::integer && items[2].kind == Value::Kind::integer) {
    core::Held held{read_holder(items[0].text), time_left(items[1].integer)};
    if (items[2].integer >= 0)
      held.ahead = static_cast<int>(std::min<std::int64_t>(items[2].integer, 1'000'000));
    return held;
  }
  return misfit("acquire gives a token, a holder or the record");
}

core::Reply open_reply(const core::OpenRequest& request, const Value& value) {
  if (value.kind != Value::Kind::string) return misfit("open gives the record");
  auto found = found_record(value.text);
  if (found.read && found.read->open && found.read->epoch == request.epoch) return core::Opened{};
  return core::NotOpen{std::move(found)};
}

core::Reply clock_reply(const Value& value) {
  if (value.kind == Value::Kind::array && value.items.size() == 2) {
    const auto seconds = core::read_number<std::int64_t>(value.items[0].text);
    const auto microseconds = core::read_number<std::int64_t>(value.items[1].text);
    // Past the year 2255 nanoseconds would not fit.
    if (seconds && microseconds && *seconds < 9'000'000'000 && *microseconds < 1'000'000) {
      return core::NodeClock{std::chrono::seconds(*seconds) + std::chrono::microseconds(*microseconds)};
    }
  }
  return misfit("TIME gives seconds and microseconds");
}

// Those of some of the keys.
core::Reply key_answers(std::span<const Value> items) {
  core::KeyAnswers answers;
  answers.reserve(items.size());
  for (const Value& item : items) {
    if (item.kind != Value::Kind::integer || item.integer < -1 || item.integer > 1) {
      return misfit("an answer is 1, 0 or -1");
    }
    answers.push_back(item.integer == 1   ? KeyAnswer::done
                      : item.integer == 0 ? KeyAnswer::missing
                                          : KeyAnswer::foreign);
  }
  return answers;
}

core::Reply key_answers(const Value& value, std::size_t keys) {
  if (value.kind != Value::Kind::array || value.items.size() != keys) return misfit("one answer a key");
  return key_answers(value.items);
}

core::Reply look_reply(const Value& value, std::size_t keys) {
  const auto found = found_keys(value, keys);
  if (!found) return found.error();
  core::KeyStates states;
  states.reserve(keys);
  for (const FoundKey& it : *found) states.push_back(key_state(it.value, it.left.count(), it.waiters));
  return states;
}

bool is_member(std::span<const Value> item) {
  return item[0].kind == Value::Kind::string && item[1].kind == Value::Kind::integer &&
         item[2].kind == Value::Kind::string;
}

core::Reply beat_reply(const Value& value) {
  const auto& items = value.items;
  if (value.kind == Value::Kind::array && items.size() == 2 && items[0].kind == Value::Kind::string &&
      items[1].kind == Value::Kind::integer) {
    return core::IdTaken{time_left(items[1].integer)};
  }
  if (value.kind != Value::Kind::array || items.size() % 3 != 1 || items[0].kind != Value::Kind::integer ||
      items[0].integer < 0) {
    return misfit("beat gives a version and who lives");
  }
  core::LiveMembers live{{}, static_cast<std::uint64_t>(items[0].integer)};
  for (std::size_t i = 1; i < items.size(); i += 3) {
    if (!is_member({&items[i], 3})) return misfit("beat gives id, time left and text");
    // What somebody else wrote there, or made to stay, is no instance that lives.
    const auto beat = read_beat(items[i + 2].text);
    if (beat && items[i + 1].integer >= 0) {
      live.members.push_back({items[i].text, beat->weight, beat->owned,
                              std::clamp(core::Ttl(items[i + 1].integer), core::Ttl(0), left_max),
                              beat->digest});
    }
  }
  std::ranges::sort(live.members, {}, &core::Member::id);
  return live;
}

core::Reply lists_reply(const Value& value, std::size_t instances) {
  if (value.kind != Value::Kind::array || value.items.size() != instances)
    return misfit("MGET gives a value for each key");
  core::Lists lists;
  lists.reserve(instances);
  for (const Value& item : value.items) {
    lists.push_back(item.kind == Value::Kind::string ? read_list(item.text) : std::nullopt);
  }
  return lists;
}

}  // namespace

Keyspace Keyspace::of_slot(core::Part slot) const {
  Keyspace its = *this;
  its.tag = tag_of(slot);
  return its;
}

Command script_call(const core::Request& request, const Keyspace& keyspace, std::string_view epoch,
                    CallBy by) {
  if (std::holds_alternative<core::ClockRequest>(request)) return {"TIME"};
  if (const auto* acquire = std::get_if<core::AcquireRequest>(&request))
    return acquire_call(*acquire, keyspace, epoch, by);
  if (const auto* renew = std::get_if<core::RenewRequest>(&request)) {
    const auto& items = renew->items;
    Command command = begin_call(renew_script, by, items.size() + 1, items.size() + 2);
    command.push_back(keyspace.record());
    for (const auto& item : items) command.push_back(item.key);
    command.push_back(opening(keyspace.terms()));
    command.push_back(number(renew->ttl));
    for (const auto& item : items) command.push_back(redis::value(item.grant, item.token));
    return command;
  }
  if (const auto* release = std::get_if<core::ReleaseRequest>(&request))
    return release_call({&release, 1}, keyspace, by);
  if (const auto* confirm = std::get_if<core::ConfirmRequest>(&request)) {
    return call<2>(confirm_script, by, confirm->key, keyspace.fence(), stamp(confirm->grant),
                   std::to_string(confirm->token));
  }
  if (const auto* open = std::get_if<core::OpenRequest>(&request)) {
    return call<2>(open_script, by, keyspace.record(), keyspace.fence(),
                   admission(keyspace.terms(), open->epoch), std::to_string(open->made_ms));
  }
  if (const auto* look = std::get_if<core::LookRequest>(&request)) {
    Command command = begin_call(look_script, by, 2 * look->keys.size(), 0);
    for (const auto& key : look->keys) {
      command.push_back(key);
      command.push_back(keyspace.queue(key));
    }
    return command;
  }
  if (const auto* beat = std::get_if<core::BeatRequest>(&request)) return beat_call(*beat, by);
  if (const auto* lists = std::get_if<core::ListsRequest>(&request)) return lists_call(*lists);
  return reassert_call(std::get<core::ReassertRequest>(request), keyspace, epoch, by);
}

Command release_call(std::span<const core::ReleaseRequest* const> releases, const Keyspace& keyspace,
                     CallBy by) {
  const auto has_ticket = [](const core::ReleaseRequest* it) { return it->ticket.has_value(); };
  const bool tickets = std::ranges::any_of(releases, has_ticket);
  const std::size_t count = releases.size();
  Command command = begin_call(release_script, by, 2 * count, 2 + (tickets ? 2 : 1) * count);
  for (const auto* it : releases) command.push_back(it->key);
  for (const auto* it : releases) command.push_back(keyspace.queue(it->key));
  command.push_back(keyspace.channels());
  command.push_back(releases.front()->wake ? number(turn_of_waiter) : "0");
  for (const auto* it : releases) command.push_back(stamp(it->grant));
  if (!tickets) return command;
  for (const auto* it : releases) command.push_back(it->ticket ? stamp(*it->ticket) : "");
  return command;
}

Command admit_call(const Introduction& introduction, const Keyspace& keyspace, CallBy by) {
  return call<2>(admit_script, by, keyspace.record(), keyspace.fence(), number(keyspace.cap), keyspace.set,
                 introduction.epoch, std::to_string(introduction.wall_ms));
}

Command init_call(const Introduction& introduction, const Keyspace& keyspace) {
  return call<2>(init_script, CallBy::body, keyspace.record(), keyspace.fence(), number(keyspace.cap),
                 keyspace.set, introduction.epoch, std::to_string(introduction.wall_ms));
}

Command reconfigure_call(const Introduction& introduction, const core::Reconfiguration::Step& step,
                         const Keyspace& keyspace) {
  return call<1>(reconfigure_script, CallBy::body, keyspace.record(), step.seen, number(step.terms.cap),
                 step.terms.set, introduction.epoch, std::to_string(introduction.wall_ms),
                 number(step.longest), step.why);
}

Command rights_call(const std::string& lease, const Keyspace& keyspace) {
  return call<0>(rights_script, CallBy::body, lease, keyspace.record(), keyspace.fence(),
                 keyspace.queue(lease), keyspace.channels() + "somebody", keyspace.tag.empty() ? "0" : "1");
}

core::Reply script_reply(const core::Request& request, const Value& value) {
  if (value.kind == Value::Kind::error) return classify(value.text);
  if (std::holds_alternative<core::ClockRequest>(request)) return clock_reply(value);
  if (std::holds_alternative<core::AcquireRequest>(request)) return acquire_reply(value);
  if (const auto* open = std::get_if<core::OpenRequest>(&request)) return open_reply(*open, value);
  if (const auto* renew = std::get_if<core::RenewRequest>(&request)) {
    if (value.kind == Value::Kind::string) return core::NotOpen{found_record(value.text)};
    return key_answers(value, renew->items.size());
  }
  if (const auto* look = std::get_if<core::LookRequest>(&request))
    return look_reply(value, look->keys.size());
  if (std::holds_alternative<core::BeatRequest>(request)) return beat_reply(value);
  if (const auto* lists = std::get_if<core::ListsRequest>(&request))
    return lists_reply(value, lists->ids.size());
  if (const auto* reassert = std::get_if<core::ReassertRequest>(&request)) {
    if (value.kind == Value::Kind::string) return core::NotOpen{found_record(value.text)};
    return key_answers(value, reassert->items.size());
  }
  return key_answers(value, 1);
}

core::Reply release_reply(const Value& value, std::size_t which, std::size_t count) {
  if (value.kind == Value::Kind::error) return classify(value.text);
  if (value.kind != Value::Kind::array || value.items.size() != count) return misfit("one answer a key");
  return key_answers({&value.items[which], 1});
}

tl::expected<std::vector<FoundKey>, core::Failure> found_keys(const Value& value, std::size_t keys) {
  if (value.kind == Value::Kind::error) return tl::unexpected(classify(value.text));
  if (value.kind != Value::Kind::array || value.items.size() != keys)
    return tl::unexpected(misfit("look gives an answer for each name"));
  std::vector<FoundKey> all;
  all.reserve(keys);
  for (const auto& [kind, integer, text, items] : value.items) {
    if (kind != Value::Kind::array || items.size() != 3 || items[0].kind != Value::Kind::string ||
        items[1].kind != Value::Kind::integer || items[2].kind != Value::Kind::integer) {
      return tl::unexpected(misfit("look gives value, time left and waiters"));
    }
    all.push_back({items[0].text, std::min(core::Ttl(items[1].integer), left_max), items[2].integer});
  }
  return all;
}

Command publish_result_call(const Result& result, CallBy by) {
  Command command = begin_call(publish_result_script, by, result.lease ? 2 : 1, 6);
  command.push_back(result.state);
  if (result.lease) command.push_back(*result.lease);
  command.push_back(result.stamp);
  command.push_back(std::to_string(result.token));
  command.push_back(result.text);
  command.push_back(result.channel);
  if (result.turn) {
    command.push_back(std::to_string(result.turn->slot_ms));
    command.push_back(std::to_string(result.turn->at_ms));
  }
  return command;
}

Command last_slot_call(const std::string& state) { return {"HGET", state, "slot"}; }

tl::expected<std::optional<std::int64_t>, core::Failure> last_slot(const Value& value) {
  if (value.kind == Value::Kind::error) return tl::unexpected(classify(value.text));
  return core::read_number<std::int64_t>(value.text);
}

tl::expected<Published, core::Failure> published(const Value& value) {
  if (value.kind == Value::Kind::error) return tl::unexpected(classify(value.text));
  if (value.kind == Value::Kind::integer && value.integer == 1) return Published::stored;
  if (value.kind == Value::Kind::integer && value.integer == 0) return Published::lease_gone;
  if (value.kind == Value::Kind::integer && value.integer == -1) return Published::outdated;
  return tl::unexpected(misfit("publish_result gives 1, 0 or -1"));
}

std::optional<WakeUp> read_wake_up(std::string_view message) {
  const auto space = message.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto after = core::read_number<core::Ttl::rep>(message.substr(0, space));
  auto ticket = read_stamp(message.substr(space + 1));
  if (!after || !ticket) return std::nullopt;
  // Later than the last turn in any queue, it would be a forgery.
  return WakeUp{std::move(*ticket), std::min(core::Ttl(*after), turns_max * turn_of_waiter)};
}

core::FleetChange read_change(std::string_view message) {
  return message == "sessions" ? core::FleetChange::sessions : core::FleetChange::instances;
}

}  // namespace tenure::redis
