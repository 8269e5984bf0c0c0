#include "sim/node.hpp"

#include <charconv>

#include "core/check.hpp"
#include "core/record.hpp"
#include "redis/scripts.hpp"

namespace tenure::sim {

namespace {

std::int64_t number(const std::string& text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

constexpr std::size_t first_key = 3;  // EVALSHA, script, number of keys, …

}  // namespace

// The shapes differ: acquire has 3 keys and 3 arguments, renew one argument more than keys, release as
// many as keys.
ScriptArgs::ScriptArgs(const redis::Command& command)
    : keys(static_cast<std::size_t>(number(command.at(2)))) {
  const std::size_t arguments = command.size() - first_key - keys;
  const bool fence = keys == 3 && arguments == 3 && command[4].ends_with("record");
  kind = fence ? Kind::acquire : arguments == keys + 1 ? Kind::renew : Kind::release;
}

void Node::init(TrueTime now) {
  const auto made =
      model_.run({"EVAL", std::string(redis::init_script.body), "2", keyspace_.record(), keyspace_.fence(),
                  core::admission(keyspace_.cap) + "0000000000000000 simulated"},
                 clock_.read(now));
  core::must(made.kind == redis::Value::Kind::array, "a new node takes its record");
}

redis::Value Node::run(const redis::Command& command, TrueTime now) {
  const NodeTime wall = clock_.read(now);
  if (!ScriptArgs::is_script(command)) return redis::Value::status("OK");  // AUTH, SELECT: not modelled
  const ScriptArgs args(command);
  const std::size_t leases = args.kind == ScriptArgs::Kind::acquire ? 1 : args.keys;
  std::vector<Look> before(leases);
  for (std::size_t i = 0; i < leases; ++i) before[i] = look(command[first_key + i], wall);

  redis::Value reply = model_.run(command, wall);
  if (reply.kind == redis::Value::Kind::error) {
    if (!reply.text.starts_with("NOSCRIPT")) judge_.violated("S9", now, "a script failed: " + reply.text);
    return reply;
  }
  calls_ += 1;
  if (args.kind == ScriptArgs::Kind::acquire) {
    check_acquire(command, before[0], reply, now);
  } else {
    check_batch(command, args, before, reply, now);
  }
  return reply;
}

void Node::check_acquire(const redis::Command& command, const Look& before, const redis::Value& reply,
                         TrueTime now) {
  const std::string& key = command[first_key];
  const std::string& stamp = command[first_key + 4];
  const NodeTime wall = clock_.read(now);
  const Look after = look(key, wall);
  const bool granted = reply.items.at(0).text == "granted";
  if (!granted) {
    const std::int64_t left = before.expiry_ms.value_or(wall.ms() - 1) - wall.ms();
    if (reply.items.size() != 3 || reply.items[1].text != before.value || reply.items[2].integer != left) {
      judge_.violated("S9", now, key + ": who holds it, or for how long, is not true");
    }
    if (after != before) judge_.violated("S5", now, stamp + " changed " + key + " without being granted it");
    return;
  }
  const auto token = static_cast<core::Token>(reply.items.at(1).integer);
  const bool own = before.value.starts_with(stamp);
  if (!before.value.empty() && !own) judge_.violated("S5", now, stamp + " was granted over " + before.value);
  if (after.value != stamp + std::to_string(token))
    judge_.violated("S9", now, key + " does not show its grant");
  if (after.expiry_ms != wall.ms() + number(command[first_key + 5])) {
    judge_.violated("S9", now, key + " was granted with another expiry than asked for");
  }
  if (own && before.value != after.value) judge_.violated("S3", now, "a repeated grant changed its token");
  if (!own) judge_.on_grant(key, after.value, token, now);
}

void Node::check_batch(const redis::Command& command, const ScriptArgs& args, const std::vector<Look>& before,
                       const redis::Value& reply, TrueTime now) {
  const bool renew = args.kind == ScriptArgs::Kind::renew;
  const NodeTime wall = clock_.read(now);
  const std::size_t first_argument = first_key + args.keys;
  if (reply.items.size() != args.keys) {
    judge_.violated("S9", now,
                    "a batch of " + std::to_string(args.keys) + " keys has another number of answers");
    return;
  }
  for (std::size_t i = 0; i < args.keys; ++i) {
    const std::string& key = command[first_key + i];
    const std::string& claim = command[first_argument + i + (renew ? 1 : 0)];
    const Look& old = before[i];
    const bool own = renew ? old.value == claim : old.value.starts_with(claim);
    const Look after = look(key, wall);
    const std::int64_t truth = own ? 1 : old.value.empty() ? 0 : -1;
    if (reply.items[i].integer != truth) judge_.violated("S9", now, key + ": the answer is not true");
    Look expected = old;
    if (own && renew) expected.expiry_ms = wall.ms() + number(command[first_argument]);
    if (own && !renew) expected = {};
    if (after != expected) {
      judge_.violated("S5", now,
                      claim + (renew ? " renewed " : " released ") + key + " which showed \"" + old.value +
                          "\" and now shows \"" + after.value + "\"");
    }
  }
}

Node::Look Node::look(const std::string& key, NodeTime now) const {
  const std::string* value = model_.data().get(key, now);
  if (value == nullptr) return {};
  return {*value, model_.data().expiry(key, now)};
}

std::vector<std::string> Node::leases(TrueTime now) const {
  std::vector<std::string> leases;
  for (auto& key : model_.data().keys(clock_.read(now))) {
    if (key != keyspace_.record() && key != keyspace_.fence()) leases.push_back(std::move(key));
  }
  return leases;
}

}  // namespace tenure::sim
