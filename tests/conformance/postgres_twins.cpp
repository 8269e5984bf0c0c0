#include "postgres_twins.hpp"

#include <algorithm>
#include <utility>

#include "core/base/number.hpp"
#include "redis/grant_text.hpp"
#include "redis/lock_call.hpp"
#include "redis/record_text.hpp"
#include "reply_text.hpp"

namespace tenure::conformance {

namespace {

using postgres::Call;
using redis::CallBy;
using redis::Value;

constexpr std::int64_t first_ms = 1'790'000'000'000;

redis::Command with(redis::Command command, core::Token seen) {
  command.push_back(std::to_string(seen));
  return command;
}

// "<owner>, look in so many ms: <ticket>"
std::string message_text(const core::Grant& ticket, core::Duration after) {
  return to_text(ticket) + " in " + std::to_string(std::chrono::duration_cast<core::Ttl>(after).count()) +
         " ms";
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "    " + line + "\n";
  return text;
}

std::string signed_nonce(const core::Grant& grant) {
  return std::to_string(static_cast<std::int64_t>(grant.nonce()));
}

// Of a function that says whether a record was made, and which there is.
std::string made_text(const tl::expected<postgres::Rows, core::Failure>& answer) {
  if (!answer) return "failure: " + answer.error().detail;
  const postgres::Row& row = answer->at(0);
  return (row.at(0) == "t" ? "made " : "left ") + to_text(postgres::found_record(row.at(1).value_or("")));
}
std::string made_text(const Value& value) {
  if (value.kind != Value::Kind::array) return "failure: " + value.text;
  return (value.items[0].text == "made" ? "made " : "left ") +
         to_text(redis::found_record(value.items[1].text));
}

const core::FoundRecord* closed_by(const core::Reply& reply) {
  const auto* closed = std::get_if<core::NotOpen>(&reply);
  return closed == nullptr ? nullptr : &closed->record;
}

}  // namespace

PostgresTwins::PostgresTwins(SteppedPostgres& real, sim::ScriptHost& host,
                             const std::vector<std::string>& owners)
    : real_(real), model_(host), owners_(owners) {
  const std::string channels = redis::Keyspace{}.channels();
  model_.server().publish = [this, channels](std::string_view channel,
                                             std::string_view message) -> std::size_t {
    if (!channel.starts_with(channels)) return 0;
    const std::string_view owner = channel.substr(channels.size());
    if (!listening_.contains(owner)) return 0;
    const auto wake_up = redis::read_wake_up(message);
    sent_.push_back(wake_up && wake_up->ticket.owner() == owner
                        ? message_text(wake_up->ticket, wake_up->after)
                        : "on " + std::string(channel) + ": " + std::string(message));
    messages_ += 1;
    return 1;
  };
  std::vector<std::string> whats;
  for (const std::string& owner : owners_) whats.push_back(postgres::wake_ups_of({}, owner));
  real_.overhear(whats);
}

void PostgresTwins::reset() {
  now_ms_ = first_ms;
  const core::Token fence = static_cast<core::Token>(now_ms_) * 1000 - 600'000'000;
  listening_.clear();
  sent_.clear();
  model_.data().clear();
  run({"SET", redis::Keyspace{}.fence(), std::to_string(fence)});
  real_.clear(fence);
  real_.set_clock(now_ms_);
}

void PostgresTwins::listen(const std::string& owner) {
  if (listening_.insert(owner).second) real_.listen(postgres::wake_ups_of({}, owner));
}

void PostgresTwins::stop_listening(const std::string& owner) {
  if (listening_.erase(owner) > 0) real_.stop_listening(postgres::wake_ups_of({}, owner));
}

std::string PostgresTwins::ask(const core::Request& request, const Client& client) {
  redis::Command command =
      redis::script_call(request, model_keyspace(client.terms), client.epoch, CallBy::body);
  const bool acquires = std::holds_alternative<core::AcquireRequest>(request);
  if (acquires || std::holds_alternative<core::ReassertRequest>(request))
    command = with(std::move(command), client.seen);
  reply_ = redis::script_reply(request, run(command));
  said_ = to_text(reply_);
  const auto real =
      call(postgres::call_of(request, real_keyspace(client.terms), {client.epoch, client.seen}));
  const core::Reply reply =
      real.answer ? postgres::reply_of(request, *real.answer) : core::Reply(real.answer.error());
  // A number that was drawn and is too small is not put back.
  const core::FoundRecord* closed = closed_by(reply_);
  const bool drawn = acquires && closed != nullptr && closed->text == redis::went_back;
  return compare(to_text(request), real, to_text(reply),
                 drawn ? std::optional(Excuse{fence() + 1, fence()}) : std::nullopt);
}

std::string PostgresTwins::admit(const redis::Introduction& introduction, const Client& client) {
  const core::Token before = fence();
  auto found = redis::found_record(
      run(with(redis::admit_call(introduction, model_keyspace(client.terms), CallBy::body), client.seen))
          .text);
  said_ = to_text(found);
  // Tokens from before a quarantine tell nothing, and neither does who is of other terms: the script raises the counter for
  // them, and the function does not.
  const bool tells_nothing = found.read && (!found.read->open || found.read->terms != client.terms);
  reply_ = core::NotOpen{std::move(found)};
  const auto real = call(postgres::admit_call({introduction.epoch, introduction.wall_ms},
                                              real_keyspace(client.terms), client.seen));
  const std::string text = real.answer
                               ? to_text(postgres::found_record(real.answer->at(0).at(0).value_or("")))
                               : real.answer.error().detail;
  return compare("admit " + introduction.epoch + " seen " + std::to_string(client.seen), real, text,
                 tells_nothing ? std::optional(Excuse{before, client.seen}) : std::nullopt);
}

std::string PostgresTwins::init(const redis::Introduction& introduction, const core::Terms& terms) {
  said_ = made_text(run(redis::init_call(introduction, model_keyspace(terms))));
  const auto real =
      call(postgres::init_call({introduction.epoch, introduction.wall_ms}, real_keyspace(terms)));
  return compare("init " + introduction.epoch, real, made_text(real.answer));
}

std::string PostgresTwins::reconfigure(const redis::Introduction& introduction,
                                       core::Reconfiguration::Step step, bool of_shown) {
  if (of_shown) step.seen = record().text;
  said_ = made_text(run(redis::reconfigure_call(introduction, step, model_keyspace(step.terms))));
  if (of_shown) {
    const auto shown = call(postgres::record_call(real_keyspace(step.terms)));
    step.seen = shown.answer->at(0).at(0).value();
  }
  const auto real = call(postgres::reconfigure_call({introduction.epoch, introduction.wall_ms}, step,
                                                    real_keyspace(step.terms)));
  return compare("reconfigure " + step.terms.set + " " + step.why, real, made_text(real.answer));
}

std::string PostgresTwins::break_lease(const postgres::Break& breaking) {
  const Value value = run(redis::break_call(
      {breaking.key, redis::stamp(breaking.victim), breaking.mark, breaking.token, breaking.hold}));
  said_ = std::to_string(value.integer);
  const auto real = call(postgres::break_call(breaking));
  const std::string text = real.answer ? real.answer->at(0).at(0).value_or("") : real.answer.error().detail;
  return compare("break " + breaking.key + " of " + to_text(breaking.victim) + " by " +
                     to_text(breaking.mark) + " " + std::to_string(breaking.token) + " for " +
                     std::to_string(breaking.hold.count()) + " ms",
                 real, text);
}

void PostgresTwins::step(core::Ttl duration) {
  const std::int64_t before = now_ms_;
  now_ms_ += duration.count();
  const auto ends_now = [&](const std::string& key) {
    return model_.data().expiry(key, before * 1000) == now_ms_;
  };
  const auto keys = model_.data().keys(before * 1000);
  while (std::ranges::any_of(keys, ends_now)) now_ms_ += 1;
  real_.set_clock(now_ms_);
}

void PostgresTwins::begin_new_life(const std::string& run_id) {
  model_.server().run_id = run_id;
  real_.begin_new_life();
}

core::FoundRecord PostgresTwins::record() const {
  const std::string* text = model_.data().get(redis::Keyspace{}.record(), now_ms_ * 1000);
  return redis::found_record(text == nullptr ? "" : *text);
}

core::Token PostgresTwins::fence() const {
  const std::string* text = model_.data().get(redis::Keyspace{}.fence(), now_ms_ * 1000);
  return core::read_number<core::Token>(*text).value();
}

std::optional<PostgresTwins::Lease> PostgresTwins::lease(const std::string& name) const {
  const std::string* value = model_.data().get(name, now_ms_ * 1000);
  if (value == nullptr) return std::nullopt;
  const auto grant = redis::read_stamp(redis::stamp_in(*value));
  if (!grant) return std::nullopt;  // what belongs to a fleet
  const core::Holder holder = redis::read_holder(*value);
  return Lease{*grant, holder.token, holder.waits, value->substr(value->rfind('#') + 1)};
}

postgres::Keyspace PostgresTwins::real_keyspace(const core::Terms& terms) const {
  return {.cap = terms.cap, .set = terms.set};
}

redis::Keyspace PostgresTwins::model_keyspace(const core::Terms& terms) const {
  return {.cap = terms.cap, .set = terms.set};
}

Value PostgresTwins::run(const redis::Command& command) { return model_.run(command, now_ms_ * 1000); }

SteppedPostgres::Outcome PostgresTwins::call(const Call& call) { return real_.call(call); }

std::string PostgresTwins::compare(const std::string& what, const SteppedPostgres::Outcome& real,
                                   const std::string& real_said, std::optional<Excuse> excuse) {
  steps_ += 1;
  if (excuse && real.fence == excuse->real && fence() == excuse->model)
    run({"SET", redis::Keyspace{}.fence(), std::to_string(real.fence)});
  const auto heard = [](const std::string& message) {
    const auto wake_up = postgres::read_wake_up(message);
    return wake_up ? message_text(wake_up->ticket, wake_up->after) : message;
  };
  std::vector<std::string> messages;
  std::ranges::transform(real.messages, std::back_inserter(messages), heard);
  const auto all = [](const std::string& said, const core::FoundRecord& record, core::Token fence,
                      const std::string& data, const std::vector<std::string>& sent) {
    return "  says  " + said + "\n  record " + to_text(record) + "\n  fence " + std::to_string(fence) + "\n" +
           data + "\n  sends\n" + joined(sent);
  };
  const std::string of_real = all(real_said, real.record, real.fence, real.data, messages);
  const std::string of_model = all(said_, record(), fence(), data(), std::exchange(sent_, {}));
  if (of_real == of_model) return "";
  return what + " at " + std::to_string(now_ms_ - first_ms) + " ms\nPostgreSQL\n" + of_real +
         "the scripts\n" + of_model;
}

// As test.data() of the real one gives it.
std::string PostgresTwins::data() const {
  const redis::Keyspace names;
  const sim::NodeTime now = now_ms_ * 1000;
  std::vector<std::string> leases;
  std::vector<std::string> waiters;
  for (const std::string& key : model_.data().keys(now)) {
    const auto* entry = model_.data().find(key, now);
    if (const auto* queue = entry->as<sim::Keyspace::List>()) {
      for (const std::string& ticket : *queue) {
        const core::Grant grant = redis::read_stamp(ticket).value();
        waiters.push_back(key.substr(names.queue("").size()) + ": " + std::string(grant.owner()) + " " +
                          signed_nonce(grant) + " waits");
      }
    } else if (!names.owns(key) && entry->expiry_ms) {
      const auto found = lease(key);
      if (!found) continue;
      // "0", or "0", how many were told and for how many turns.
      const std::string& told = found->told;
      const std::string kept =
          told.size() == 4 ? told.substr(1, 1) + " " + std::to_string(std::stoi(told.substr(2))) : "0 1";
      leases.push_back(key + ": " + std::string(found->grant.owner()) + " " + signed_nonce(found->grant) +
                       " " + std::to_string(found->token) + (found->kept ? " kept " + kept : "") + " " +
                       std::to_string(*entry->expiry_ms - now_ms_) + " ms");
    }
  }
  leases.insert(leases.end(), waiters.begin(), waiters.end());
  std::string text;
  for (const std::string& line : leases) text += (text.empty() ? "" : "\n") + line;
  return text;
}

}  // namespace tenure::conformance
