#include "postgres/call.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "core/base/number.hpp"
#include "core/base/overload.hpp"
#include "core/lease/timing.hpp"
#include "postgres/array_text.hpp"
#include "postgres/schema.hpp"

namespace tenure::postgres {

namespace {

using core::KeyAnswer;

// Later than the last turn in any queue, it would be a forgery.
constexpr core::Ttl wake_up_max{8'000};
// More than any lease lasts: what somebody wrote by hand.
constexpr core::Ttl left_max = std::chrono::hours(24 * 366);

std::string number(std::int64_t value) { return std::to_string(value); }
std::string number(core::Ttl ttl) { return std::to_string(ttl.count()); }
// The same bits: PostgreSQL's numbers have a sign.
std::string number(std::uint64_t bits) { return std::to_string(static_cast<std::int64_t>(bits)); }
std::string word(std::string_view text) { return std::string(text); }

Value owner_of(const std::optional<core::Grant>& ticket) {
  return ticket ? Value(ticket->owner()) : std::nullopt;
}
Value nonce_of(const std::optional<core::Grant>& ticket) {
  return ticket ? Value(number(ticket->nonce())) : std::nullopt;
}

// In which order the leases of a batch are named: by their names, so that two batches never wait for each other in a circle.
std::vector<std::size_t> by_name(const std::vector<core::Holding>& items) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) -> const std::string& { return items[i].key; });
  return order;
}

// Names, owners, nonces and tokens, each an array.
void append_batch(Call& call, const std::vector<core::Holding>& items) {
  std::vector<std::string_view> names;
  std::vector<std::string_view> owners;
  std::vector<std::int64_t> nonces;
  std::vector<std::int64_t> tokens;
  for (const std::size_t i : by_name(items)) {
    names.push_back(items[i].key);
    owners.push_back(items[i].grant.owner());
    nonces.push_back(static_cast<std::int64_t>(items[i].grant.nonce()));
    tokens.push_back(static_cast<std::int64_t>(items[i].token));
  }
  call.arguments.insert(call.arguments.end(),
                        {array_text(names), array_text(owners), array_text(nonces), array_text(tokens)});
}

Call call(const core::AcquireRequest& it, const Keyspace& keyspace, const Standing& standing) {
  return {"SELECT tenure.acquire($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12)",
          {keyspace.prefix, number(keyspace.cap), keyspace.set, standing.epoch, number(standing.seen), it.key,
           word(it.grant.owner()), number(it.grant.nonce()), number(it.ttl), number(it.proposal),
           owner_of(it.ticket), nonce_of(it.ticket)}};
}

Call call(const core::ConfirmRequest& it, const Keyspace&, const Standing&) {
  return {"SELECT tenure.confirm($1,$2,$3,$4)",
          {it.key, word(it.grant.owner()), number(it.grant.nonce()), number(it.token)}};
}

Call call(const core::RenewRequest& it, const Keyspace& keyspace, const Standing&) {
  Call call{"SELECT tenure.renew($1,$2,$3,$4,$5,$6,$7,$8)",
            {keyspace.prefix, number(keyspace.cap), keyspace.set, number(it.ttl)}};
  append_batch(call, it.items);
  return call;
}

Call call(const core::ReassertRequest& it, const Keyspace& keyspace, const Standing& standing) {
  Call call{"SELECT tenure.reassert($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11)",
            {keyspace.prefix, number(keyspace.cap), keyspace.set, standing.epoch, number(standing.seen),
             number(it.ttl), word(it.heal ? "true" : "false")}};
  append_batch(call, it.items);
  return call;
}

Call call(const core::ReleaseRequest& it, const Keyspace& keyspace, const Standing&) {
  return {"SELECT tenure.release($1,$2,$3,$4,$5,$6,$7)",
          {keyspace.prefix, it.key, word(it.grant.owner()), number(it.grant.nonce()), owner_of(it.ticket),
           nonce_of(it.ticket), word(it.wake ? "true" : "false")}};
}

Call call(const core::OpenRequest& it, const Keyspace& keyspace, const Standing&) {
  return {"SELECT tenure.open($1,$2,$3,$4,$5)",
          {keyspace.prefix, number(keyspace.cap), keyspace.set, it.epoch, number(it.made_ms)}};
}

Call call(const core::ClockRequest&, const Keyspace&, const Standing&) { return {"SELECT tenure.clock()"}; }

Call call(const core::LookRequest& it, const Keyspace&, const Standing&) {
  const std::vector<std::string_view> names(it.keys.begin(), it.keys.end());
  return {"SELECT * FROM tenure.look($1)", {array_text(names)}};
}

// What keys of the fleet begin with, as the core knows it, ends with a colon.
std::string fleet_of(std::string_view key_prefix) {
  if (key_prefix.ends_with(':')) key_prefix.remove_suffix(1);
  return std::string(key_prefix);
}

Call call(const core::BeatRequest& it, const Keyspace&, const Standing&) {
  std::vector<std::int64_t> owned;
  owned.reserve(it.owned.size());
  for (const core::SessionHash hash : it.owned) owned.push_back(static_cast<std::int64_t>(hash));
  const core::Beat& beat = it.beat;
  return {"SELECT * FROM tenure.beat($1,$2,$3,$4,$5,$6,$7,$8,$9,$10)",
          {fleet_of(it.fleet), it.id, beat.boot, number(beat.started_ms), std::to_string(beat.weight),
           number(beat.owned), number(beat.version), beat.digest ? Value(number(*beat.digest)) : std::nullopt,
           array_text(owned), number(it.ttl)}};
}

Call call(const core::ListsRequest& it, const Keyspace&, const Standing&) {
  const std::vector<std::string_view> ids(it.ids.begin(), it.ids.end());
  return {"SELECT * FROM tenure.lists($1,$2)", {fleet_of(it.fleet), array_text(ids)}};
}

core::Failure misfit(const std::string& what) {
  return {core::Applied::perhaps, core::FailureCode::protocol,
          "what the function gives does not fit: " + what};
}

// The words of a line, the last of which is all that is left.
template <std::size_t count>
std::optional<std::array<std::string_view, count>> words_of(std::string_view text) {
  std::array<std::string_view, count> words;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const auto space = text.find(' ');
    if (space == std::string_view::npos || space == 0) return std::nullopt;
    words[i] = text.substr(0, space);
    text.remove_prefix(space + 1);
  }
  words.back() = text;
  return words;
}

core::NotOpen not_open(std::string_view text) { return {found_record(std::string(text))}; }

// What acquire and reassert say where the record is in the way.
std::optional<core::NotOpen> obstacle_in(std::string_view text) {
  if (text == went_back || text == unverified) return not_open(text);
  constexpr std::string_view closed = "closed ";
  if (text.starts_with(closed)) return not_open(text.substr(closed.size()));
  return std::nullopt;
}

std::optional<core::Held> read_held(std::string_view text) {
  const auto words = words_of<6>(text);
  if (!words) return std::nullopt;
  const auto left = core::read_number<std::int64_t>((*words)[1]);
  const auto token = core::read_number<core::Token>((*words)[4]);
  if ((*words)[0] != "held" || !left || !token) return std::nullopt;
  const bool kept = (*words)[3] == "1";
  core::Held held{{std::string((*words)[5]), kept ? 0 : *token, kept}, std::min(core::Ttl(*left), left_max)};
  held.ahead = core::read_number<int>((*words)[2]);
  return held;
}

core::Reply acquire_reply(std::string_view text) {
  constexpr std::string_view granted = "granted ";
  if (text.starts_with(granted)) {
    const auto token = core::read_number<core::Token>(text.substr(granted.size()));
    if (token && *token > 0 && *token <= core::token_max) return core::Granted{*token};
    return misfit("acquire gives a token");
  }
  if (auto obstacle = obstacle_in(text)) return std::move(*obstacle);
  if (auto held = read_held(text)) return std::move(*held);
  return misfit("acquire gives a token, a holder or the record");
}

core::Reply key_answers(std::string_view text, std::size_t count) {
  const auto numbers = read_numbers(text);
  if (!numbers || numbers->size() != count) return misfit("one answer a name");
  core::KeyAnswers answers;
  answers.reserve(count);
  for (const std::int64_t it : *numbers) {
    answers.push_back(it == 1    ? KeyAnswer::done
                      : it == 0  ? KeyAnswer::missing
                      : it == -2 ? KeyAnswer::locked
                                 : KeyAnswer::foreign);
  }
  return answers;
}

// In the order in which the leases were named by the core.
core::Reply batch_answers(std::string_view text, const std::vector<core::Holding>& items) {
  core::Reply sorted = key_answers(text, items.size());
  const auto* answers = std::get_if<core::KeyAnswers>(&sorted);
  if (answers == nullptr) return sorted;
  core::KeyAnswers in_order(items.size());
  const auto order = by_name(items);
  for (std::size_t i = 0; i < order.size(); ++i) in_order[order[i]] = (*answers)[i];
  return in_order;
}

std::optional<std::int64_t> whole_number(const Value& value) {
  if (!value) return std::nullopt;
  const auto numbers = read_numbers("{" + *value + "}");
  return numbers && numbers->size() == 1 ? std::optional(numbers->front()) : std::nullopt;
}

core::Reply look_reply(const Rows& rows, std::size_t names) {
  if (rows.size() != names) return misfit("look gives a row for each name");
  core::KeyStates states;
  for (const Row& row : rows) {
    if (row.size() != 6) return misfit("look gives six columns");
    core::KeyState state;
    const auto nonce = whole_number(row[1]);
    const auto token = whole_number(row[2]);
    const auto left = whole_number(row[4]);
    if (row[0] && nonce && token && left) {
      const bool kept = row[3] == "t";
      state.holder = core::Holder{*row[0], kept ? 0 : static_cast<core::Token>(*token), kept};
      if (!row[0]->empty()) state.grant = core::Grant(*row[0], static_cast<std::uint64_t>(*nonce));
      state.left = std::min(core::Ttl(*left), left_max);
    }
    state.waiters = whole_number(row[5]).value_or(0);
    states.push_back(std::move(state));
  }
  return states;
}

core::Reply beat_reply(const Rows& rows) {
  if (rows.empty() || std::ranges::any_of(rows, [](const Row& row) { return row.size() != 5; }))
    return misfit("beat gives a version and who lives");
  if (rows.size() == 1 && rows[0][0]) {
    const auto left = whole_number(rows[0][1]);
    return core::IdTaken{left ? std::optional(core::Ttl(*left)) : std::nullopt};
  }
  core::LiveMembers live;
  live.version = static_cast<std::uint64_t>(whole_number(rows[0][1]).value_or(0));
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const auto left = whole_number(row[1]);
    const auto weight = row[2] ? core::read_number<std::uint32_t>(*row[2]) : std::nullopt;
    const auto owned = whole_number(row[3]);
    if (!row[0] || !left || !weight || !owned) return misfit("beat gives id, time left, weight and more");
    std::optional<std::uint64_t> digest;
    if (const auto bits = whole_number(row[4])) digest = static_cast<std::uint64_t>(*bits);
    live.members.push_back({*row[0], *weight, static_cast<std::uint64_t>(*owned),
                            std::clamp(core::Ttl(*left), core::Ttl(0), left_max), digest});
  }
  std::ranges::sort(live.members, {}, &core::Member::id);
  return live;
}

core::Reply lists_reply(const Rows& rows, std::size_t ids) {
  if (rows.size() != ids) return misfit("lists gives a row for each id");
  core::Lists lists;
  for (const Row& row : rows) {
    if (row.size() != 1) return misfit("lists gives one column");
    const auto numbers = row[0] ? read_numbers(*row[0]) : std::nullopt;
    if (!numbers) {
      lists.emplace_back();
      continue;
    }
    std::vector<core::SessionHash> list;
    list.reserve(numbers->size());
    for (const std::int64_t bits : *numbers) list.push_back(static_cast<core::SessionHash>(bits));
    lists.emplace_back(std::move(list));
  }
  return lists;
}

// Of what gives one row: the text in its first column.
std::optional<std::string_view> only_text(const Rows& rows) {
  if (rows.size() != 1 || rows[0].empty() || !rows[0][0]) return std::nullopt;
  return *rows[0][0];
}

}  // namespace

Call call_of(const core::Request& request, const Keyspace& keyspace, const Standing& standing) {
  return std::visit([&](const auto& it) { return call(it, keyspace, standing); }, request);
}

// What it commits without waiting is what the session asks for: tenure.acquire() has looked whether that forgets anything.
Call gathered_call(const core::AcquireRequest& request, const Keyspace& keyspace, const Standing& standing) {
  Call gathered = call(request, keyspace, standing);
  gathered.statement =
      "SELECT tenure.acquire($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12), "
      "pg_catalog.set_config('synchronous_commit', 'off', true)";
  return gathered;
}

// A transaction that writes nothing would not wait.
Call settle_call() { return {"SELECT pg_catalog.pg_logical_emit_message(true, 'tenure', '')", {}}; }

Call admit_call(const Introduction& introduction, const Keyspace& keyspace, core::Token seen) {
  return {"SELECT tenure.admit($1,$2,$3,$4,$5,$6,$7), pg_catalog.pg_backend_pid()",
          {number(std::int64_t{schema_version}), keyspace.prefix, number(keyspace.cap), keyspace.set,
           introduction.epoch, number(introduction.wall_ms), number(seen)}};
}

Call limit_call() { return {"SELECT pg_catalog.set_config('lock_timeout', '1s', false)", {}}; }

Call init_call(const Introduction& introduction, const Keyspace& keyspace) {
  return {"SELECT * FROM tenure.init($1,$2,$3,$4,$5)",
          {keyspace.prefix, number(keyspace.cap), keyspace.set, introduction.epoch,
           number(introduction.wall_ms)}};
}

Call reconfigure_call(const Introduction& introduction, const core::Reconfiguration::Step& step,
                      const Keyspace& keyspace) {
  return {"SELECT * FROM tenure.reconfigure($1,$2,$3,$4,$5,$6,$7,$8)",
          {keyspace.prefix, step.seen, number(step.terms.cap), step.terms.set, introduction.epoch,
           number(introduction.wall_ms), number(step.longest), step.why}};
}

Call break_call(const Break& it) {
  return {"SELECT tenure.break($1,$2,$3,$4,$5,$6,$7)",
          {it.key, word(it.victim.owner()), number(it.victim.nonce()), word(it.mark.owner()),
           number(it.mark.nonce()), number(it.token), number(it.hold)}};
}

Call record_call(const Keyspace& keyspace) { return {"SELECT tenure.shown_record($1)", {keyspace.prefix}}; }

core::Reply reply_of(const core::Request& request, const Rows& rows) {
  if (const auto* look = std::get_if<core::LookRequest>(&request)) return look_reply(rows, look->keys.size());
  if (std::holds_alternative<core::BeatRequest>(request)) return beat_reply(rows);
  if (const auto* lists = std::get_if<core::ListsRequest>(&request))
    return lists_reply(rows, lists->ids.size());
  const auto text = only_text(rows);
  if (!text) return misfit("one row with one text");
  if (std::holds_alternative<core::AcquireRequest>(request)) return acquire_reply(*text);
  if (const auto* open = std::get_if<core::OpenRequest>(&request)) {
    auto found = found_record(std::string(*text));
    if (found.read && found.read->open && found.read->epoch == open->epoch) return core::Opened{};
    return core::NotOpen{std::move(found)};
  }
  if (const auto* renew = std::get_if<core::RenewRequest>(&request)) {
    if (auto obstacle = obstacle_in(*text)) return std::move(*obstacle);
    return batch_answers(*text, renew->items);
  }
  if (const auto* reassert = std::get_if<core::ReassertRequest>(&request)) {
    if (auto obstacle = obstacle_in(*text)) return std::move(*obstacle);
    return batch_answers(*text, reassert->items);
  }
  if (std::holds_alternative<core::ClockRequest>(request)) {
    const auto us = core::read_number<std::int64_t>(*text);
    // Past the year 2255 nanoseconds would not fit.
    if (!us || *us > 9'000'000'000'000'000) return misfit("clock gives microseconds");
    return core::NodeClock{std::chrono::microseconds(*us)};
  }
  return key_answers(*text, 1);
}

core::FoundRecord found_record(std::string text) {
  const auto read = [&]() -> std::optional<core::Record> {
    const auto words = words_of<9>(text);
    if (!words) return std::nullopt;
    const auto& [cap, set, epoch, state, made, wall, longest, why, durability] = *words;
    const auto cap_ms = core::read_number<std::int64_t>(cap);
    const auto made_ms = core::read_number<std::int64_t>(made);
    const auto wall_ms = core::read_number<std::int64_t>(wall);
    const auto longest_ms = core::read_number<std::int64_t>(longest);
    const bool open = state == "open";
    if (!cap_ms || !made_ms || !wall_ms || !longest_ms || (!open && state != "quarantined"))
      return std::nullopt;
    // Longer than any that is allowed, it could not be counted in nanoseconds either.
    constexpr auto most = std::chrono::duration_cast<core::Ttl>(core::ttl_cap_max).count();
    if (*cap_ms < 1 || *cap_ms > most || *longest_ms < *cap_ms || *longest_ms > most) return std::nullopt;
    return core::Record{{core::Ttl(*cap_ms), std::string(set)},
                        std::string(epoch),
                        open,
                        *made_ms,
                        *wall_ms,
                        core::Ttl(*longest_ms),
                        std::string(why)};
  };
  auto record = read();
  return {std::move(record), std::move(text)};
}

bool is_durable(const core::FoundRecord& found) { return found.text.ends_with(" durable"); }

std::string wake_ups_of(const Keyspace& keyspace, const std::string& owner) {
  return keyspace.prefix + "wake:" + owner;
}
std::string changes_of(const std::string& fleet) { return fleet + "changes"; }

Call listen_call(const std::string& what) {
  return {"SELECT pg_catalog.pg_backend_pid(), tenure.channel($1), tenure.channel_lock($1)", {what}};
}

std::optional<WakeUp> read_wake_up(std::string_view message) {
  const auto words = words_of<3>(message);
  if (!words || (*words)[2].empty()) return std::nullopt;
  const auto after = core::read_number<core::Ttl::rep>((*words)[0]);
  const auto nonce = whole_number(std::string((*words)[1]));
  if (!after || !nonce) return std::nullopt;
  return WakeUp{core::Grant((*words)[2], static_cast<std::uint64_t>(*nonce)),
                std::min(core::Ttl(*after), wake_up_max)};
}

core::FleetChange read_change(std::string_view message) {
  return message == "sessions" ? core::FleetChange::sessions : core::FleetChange::instances;
}

}  // namespace tenure::postgres
