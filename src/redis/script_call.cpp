#include "redis/script_call.hpp"

#include <utility>

#include "core/record.hpp"
#include "redis/failure.hpp"

namespace tenure::redis {

namespace {

using core::KeyAnswer;

Command begin_call(const Script& script, CallBy by, std::size_t keys, std::size_t arguments) {
  Command command;
  command.reserve(3 + keys + arguments);
  command.emplace_back(by == CallBy::sha1 ? "EVALSHA" : "EVAL");
  command.emplace_back(by == CallBy::sha1 ? script.sha1 : script.body);
  command.push_back(std::to_string(keys));
  return command;
}

std::string number(core::Ttl ttl) { return std::to_string(ttl.count()); }

core::Failure misfit(const std::string& what) {
  return {core::Applied::perhaps, core::FailureCode::protocol, "a script's answer does not fit: " + what};
}

core::Reply acquire_reply(const Value& value) {
  if (value.kind != Value::Kind::array || value.items.empty()) return misfit("acquire gives an array");
  const auto& items = value.items;
  const std::string& word = items[0].text;
  if (word == "granted" && items.size() == 2 && items[1].kind == Value::Kind::integer &&
      items[1].integer > 0) {
    return core::Granted{static_cast<core::Token>(items[1].integer)};
  }
  if (word == "held" && items.size() == 3 && items[1].kind == Value::Kind::string &&
      items[2].kind == Value::Kind::integer) {
    return core::Held{core::read_holder(items[1].text), core::Ttl(items[2].integer)};
  }
  if (word == "closed" && items.size() == 2 && items[1].kind == Value::Kind::string)
    return core::NotOpen{items[1].text};
  return misfit("acquire gives granted, held or closed");
}

core::Reply key_answers(const Value& value, std::size_t keys) {
  if (value.kind != Value::Kind::array || value.items.size() != keys) return misfit("one answer a key");
  core::KeyAnswers answers;
  answers.reserve(keys);
  for (const Value& item : value.items) {
    if (item.kind != Value::Kind::integer || item.integer < -1 || item.integer > 1) {
      return misfit("an answer is 1, 0 or -1");
    }
    answers.push_back(item.integer == 1   ? KeyAnswer::done
                      : item.integer == 0 ? KeyAnswer::missing
                                          : KeyAnswer::foreign);
  }
  return answers;
}

}  // namespace

Command script_call(const core::Request& request, const Keyspace& keyspace, CallBy by) {
  if (const auto* acquire = std::get_if<core::AcquireRequest>(&request)) {
    Command command = begin_call(acquire_script, by, 3, 3);
    command.push_back(acquire->key);
    command.push_back(keyspace.record());
    command.push_back(keyspace.fence());
    command.push_back(core::admission(keyspace.cap));
    command.push_back(acquire->grant.stamp());
    command.push_back(number(acquire->ttl));
    return command;
  }
  if (const auto* renew = std::get_if<core::RenewRequest>(&request)) {
    const auto& items = renew->items;
    Command command = begin_call(renew_script, by, items.size(), items.size() + 1);
    for (const auto& item : items) command.push_back(item.key);
    command.push_back(number(renew->ttl));
    for (const auto& item : items) command.push_back(item.value);
    return command;
  }
  const auto& release = std::get<core::ReleaseRequest>(request);
  Command command = begin_call(release_script, by, 1, 1);
  command.push_back(release.key);
  command.push_back(release.grant.stamp());
  return command;
}

core::Reply script_reply(const core::Request& request, const Value& value) {
  if (value.kind == Value::Kind::error) return classify(value.text);
  if (std::holds_alternative<core::AcquireRequest>(request)) return acquire_reply(value);
  const auto* renew = std::get_if<core::RenewRequest>(&request);
  return key_answers(value, renew != nullptr ? renew->items.size() : 1);
}

}  // namespace tenure::redis
