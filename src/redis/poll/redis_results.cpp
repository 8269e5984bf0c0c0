#include "redis/poll/redis_results.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "redis/grant_text.hpp"

namespace tenure::redis {

namespace {

using poll::FindSlot;
using poll::FoundSlot;
using poll::NoAnswer;
using poll::Publish;
using poll::ResultReply;
using poll::ResultRequest;
using poll::Unstorable;

bool is_unknown_script(const Value& value) {
  return value.kind == Value::Kind::error && value.text.starts_with("NOSCRIPT");
}

bool is_unanswered(const ResultReply& reply) { return std::holds_alternative<NoAnswer>(reply); }

// Of this one key, not of all of Redis.
bool is_of_key(const core::Failure& failure) { return failure.code == core::FailureCode::server; }

poll::Published answer_of(Published published) {
  switch (published) {
    case Published::stored:
      return poll::Published::stored;
    case Published::lease_gone:
      return poll::Published::lease_gone;
    case Published::outdated:
      break;
  }
  return poll::Published::outdated;
}

ResultReply reply_to(const Publish& /*request*/, const Value& value) {
  const auto outcome = published(value);
  if (outcome) return answer_of(*outcome);
  if (is_of_key(outcome.error())) return Unstorable{outcome.error().detail};
  return NoAnswer{outcome.error().detail};
}

ResultReply reply_to(const FindSlot& /*request*/, const Value& value) {
  const auto slot = last_slot(value);
  if (!slot && !is_of_key(slot.error())) return NoAnswer{slot.error().detail};
  if (!slot || !*slot) return FoundSlot{};
  return FoundSlot{poll::WallTime(poll::Milliseconds(**slot))};
}

std::int64_t unix_ms(poll::WallTime time) { return time.time_since_epoch().count(); }

}  // namespace

RedisResults::RedisResults(Place place) : place_(std::move(place)) {}

std::vector<ResultReply> RedisResults::ask(std::span<const ResultRequest> requests) {
  if (auto why = connect()) return Replies(requests.size(), NoAnswer{std::move(*why)});
  Replies replies(requests.size(), NoAnswer{});
  ask_again(requests, replies, CallBy::sha1);
  // A Redis that does not know the script yet is told.
  if (redis_ && std::ranges::any_of(replies, is_unanswered)) ask_again(requests, replies, CallBy::body);
  return replies;
}

// Returns why there is no connection, or nothing.
std::optional<std::string> RedisResults::connect() {
  if (redis_) return std::nullopt;
  auto connected = Caller::connect(place_.address, place_.timeout, place_.tls);
  if (!connected) return std::move(connected.error().detail);
  redis_ = std::move(*connected);
  return std::nullopt;
}

// Asks what has no answer yet.
void RedisResults::ask_again(std::span<const ResultRequest> requests, Replies& replies, CallBy by) {
  std::vector<std::size_t> asked;
  std::vector<Command> commands;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!is_unanswered(replies[i])) continue;
    asked.push_back(i);
    commands.push_back(command(requests[i], by));
    // The first one makes the script known to those behind it.
    if (std::holds_alternative<Publish>(requests[i])) by = CallBy::sha1;
  }
  const auto values = redis_->call_all(commands);
  if (!values) {
    for (const std::size_t i : asked) replies[i] = NoAnswer{values.error().detail};
    redis_.reset();
    return;
  }
  for (std::size_t n = 0; n < asked.size(); ++n) {
    const Value& value = (*values)[n];
    if (is_unknown_script(value)) continue;
    replies[asked[n]] = std::visit([&](const auto& it) { return reply_to(it, value); }, requests[asked[n]]);
  }
}

Command RedisResults::command(const ResultRequest& request, CallBy by) const {
  if (const auto* find = std::get_if<FindSlot>(&request)) {
    return last_slot_call(place_.state_prefix + find->session);
  }
  const auto& [session, lease, text, slot, at] = std::get<Publish>(request);
  return publish_result_call({.state = place_.state_prefix + session,
                              .lease = place_.leases_here ? std::optional(lease.key) : std::nullopt,
                              .stamp = std::string(stamp_in(lease.value)),
                              .token = lease.token,
                              .text = text,
                              .channel = place_.channel_prefix + session,
                              .turn = Result::Turn{unix_ms(slot), unix_ms(at)}},
                             by);
}

}  // namespace tenure::redis
