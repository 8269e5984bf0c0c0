#include "twins.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/base/text.hpp"

namespace tenure::conformance {

namespace {

using redis::Value;
using Kind = Value::Kind;

// In one call, because it is asked for after every step: {key, type, content, PTTL} of all keys, sorted.
constexpr std::string_view dump_script = R"lua(
local function content(key, type)
  if type == 'string' then return redis.call('GET', key) end
  if type == 'list' then return redis.call('LRANGE', key, 0, -1) end
  local fields = redis.call('HKEYS', key)
  table.sort(fields)
  local all = {}
  for i, field in ipairs(fields) do all[i] = {field, redis.call('HGET', key, field)} end
  return all
end
local all = {}
local keys = redis.call('KEYS', '*')
table.sort(keys)
for i, key in ipairs(keys) do
  local type = redis.call('TYPE', key).ok
  all[i] = {key, type, content(key, type), redis.call('PTTL', key)}
end
return all
)lua";

constexpr std::string_view step_script = R"lua(
for _, key in ipairs(redis.call('KEYS', '*')) do
  local left = redis.call('PTTL', key)
  if left >= 0 then redis.call('PEXPIRE', key, string.format('%.0f', left - ARGV[1])) end
  local text = redis.pcall('GET', key)
  if type(text) == 'string' then
    local before, made, after = string.match(text, '^(%S+ %S+ %S+ %S+ %S+ )(%d+)( .*)$')
    if made and #made == 13 then
      redis.call('SET', key, before .. string.format('%.0f', made - ARGV[1]) .. after, 'KEEPTTL')
    end
  end
end
)lua";

const std::array scripts{&redis::acquire_script,     &redis::confirm_script,  &redis::renew_script,
                         &redis::release_script,     &redis::reassert_script, &redis::admit_script,
                         &redis::open_script,        &redis::init_script,     &redis::publish_result_script,
                         &redis::reconfigure_script, &redis::look_script,     &redis::break_script,
                         &redis::beat_script};

bool near(std::int64_t a, std::int64_t b, std::chrono::milliseconds allowed = tolerance) {
  return std::abs(a - b) <= allowed.count();
}

// A time left: -1 and -2 are words, not times.
bool same_time_left(const Value& real, const Value& model) {
  if (real.kind != Kind::integer || model.kind != Kind::integer) return false;
  if (real.integer < 0 || model.integer < 0) return real.integer == model.integer;
  return near(real.integer, model.integer);
}

// A record that a script made has the time in it, as thirteen digits in the sixth place; those that tests
// write by hand have less.
struct TimedRecord {
  std::string_view before;
  std::int64_t made_ms = 0;
  std::string_view after;
};

std::optional<TimedRecord> read_timed(std::string_view text) {
  std::size_t begin = 0;
  for (int field = 1; field < 6; ++field) {
    begin = text.find(' ', begin);
    if (begin == std::string_view::npos) return std::nullopt;
    begin += 1;
  }
  const auto digits = text.substr(begin, text.find(' ', begin) - begin);
  const bool a_time = digits.size() == 13 && std::all_of(digits.begin(), digits.end(), [](char digit) {
                        return digit >= '0' && digit <= '9';
                      });
  if (!a_time) return std::nullopt;
  return TimedRecord{text.substr(0, begin), std::atoll(std::string(digits).c_str()),
                     text.substr(begin + digits.size())};
}

// Of an error: its first word. All behind it is words for people, which servers and their versions choose differently.
std::string_view code_of(std::string_view error) { return error.substr(0, error.find(' ')); }

// The model's clock is ahead by so much.
struct Comparison {
  std::int64_t ahead_ms = 0;

  bool same_text(const std::string& real, const std::string& model) const {
    const auto a = read_timed(real);
    const auto b = read_timed(model);
    if (!a || !b) return real == model;
    return a->before == b->before && a->after == b->after && near(a->made_ms + ahead_ms, b->made_ms);
  }

  bool same(const Value& real, const Value& model) const {
    if (real.kind != model.kind) return false;
    if (real.kind == Kind::error) return code_of(real.text) == code_of(model.text);
    if (real.kind == Kind::string) return same_text(real.text, model.text);
    if (real.kind != Kind::array) return real == model;
    if (real.items.size() != model.items.size()) return false;
    const bool held = is_held(real);
    for (std::size_t i = 0; i < real.items.size(); ++i) {
      const bool time_left = held && i == 1;
      const Value& a = real.items[i];
      const Value& b = model.items[i];
      if (!(time_left ? same_time_left(a, b) : same(a, b))) return false;
    }
    return true;
  }

  // {value, ms left, place}: acquire where another has it.
  static bool is_held(const Value& value) {
    const auto& items = value.items;
    return items.size() == 3 && items[0].kind == Kind::string && items[1].kind == Kind::integer &&
           items[2].kind == Kind::integer;
  }

  // One key as dump_script gives it.
  bool same_key(const Value& real, const Value& model) const {
    return std::equal(real.items.begin(), real.items.begin() + 3, model.items.begin(),
                      [this](const Value& a, const Value& b) { return same(a, b); }) &&
           same_time_left(real.items[3], model.items[3]);
  }
};

Value content(const sim::Keyspace::Entry& entry) {
  if (const auto* text = entry.as<std::string>()) return Value::string(*text);
  Value all = Value::array({});
  if (const auto* list = entry.as<sim::Keyspace::List>()) {
    for (const std::string& element : *list) all.items.push_back(Value::string(element));
  } else {
    for (const auto& [field, text] : *entry.as<sim::Keyspace::Hash>()) {
      all.items.push_back(Value::array({Value::string(field), Value::string(text)}));
    }
  }
  return all;
}

redis::Command with_made(redis::Command command, const std::string& record) {
  std::istringstream fields(record);
  std::string made;
  for (int field = 0; field < 6; ++field) fields >> made;
  std::ranges::replace(command, std::string(Twins::own_made), made);
  std::ranges::replace(command, std::string(Twins::own_record), record);
  return command;
}

std::string difference(const std::string& what, const Value& real, const Value& model) {
  return what + "\n  real  " + to_text(real) + "\n  model " + to_text(model);
}

const redis::Script* script_named(std::string_view word) {
  for (const auto* script : scripts) {
    if (word == script->sha1 || word == script->body) return script;
  }
  return nullptr;
}

// The fence, where a script may raise it to the clock.
const std::string* fence_raised(const redis::Command& command) {
  const redis::Script* script = script_called(command);
  if (script == &redis::acquire_script) return &command.at(5);
  const bool second = script == &redis::init_script || script == &redis::admit_script ||
                      script == &redis::open_script || script == &redis::confirm_script ||
                      script == &redis::reassert_script;
  return second ? &command.at(4) : nullptr;
}

// What INFO says after that name.
std::string info(test::RedisServer& real, const std::string& section, const std::string& name) {
  const std::string text = real.command({"INFO", section}).text;
  const auto begin = text.find("\n" + name + ":");
  if (begin == std::string::npos) return "";
  const auto value = begin + name.size() + 2;
  return text.substr(value, text.find('\r', value) - value);
}

}  // namespace

Twins::Twins(test::RedisServer& real, sim::ScriptHost& host)
    : real_(real), listener_(real.socket_path()), model_(host) {
  model_.server().run_id = info(real, "server", "run_id");
  model_.server().replid = info(real, "replication", "master_replid");
  model_.server().publish = [this](std::string_view channel, std::string_view message) -> std::size_t {
    const bool somebody = channels_.contains(channel);
    (somebody ? heard_ : unheard_) += 1;
    if (!somebody) return 0;
    messages_.push_back(Value::array({Value::string("message"), Value::string(std::string(channel)),
                                      Value::string(std::string(message))}));
    return 1;
  };
}

void Twins::reset() {
  ask({"FLUSHALL"});
  ask({"SCRIPT", "FLUSH"});
  while (!channels_.empty()) stop_listening(*channels_.begin());
  messages_.clear();
  ahead_ = {};
}

void Twins::listen(const std::string& channel) {
  listener_.command({"SUBSCRIBE", channel});
  channels_.insert(channel);
}

void Twins::stop_listening(const std::string& channel) {
  listener_.command({"UNSUBSCRIBE", channel});
  channels_.erase(std::string(channel));
}

Twins::Answers Twins::ask(const redis::Command& command) {
  const bool asks_record = std::ranges::any_of(
      command, [](const std::string& word) { return word == own_made || word == own_record; });
  if (!asks_record) {
    Value model = model_.run(command, now());
    return {real_.command(command), std::move(model)};
  }
  const std::string& record = command.at(3);
  Value model = model_.run(with_made(command, text(record)), now());
  return {real_.command(with_made(command, real_.command({"GET", record}).text)), std::move(model)};
}

std::string Twins::compare(const redis::Command& command) {
  auto [real, model] = ask(command);
  share_token(command, real, model);
  const bool alike = command[0] == "PTTL" ? same_time_left(real, model) || real == model
                                          : Comparison{ahead_ms()}.same(real, model);
  if (!alike) return difference(to_text(command), real, model);
  answer_ = std::move(model);
  const std::string* fence = fence_raised(command);
  return fence != nullptr ? share_fence(*fence) : "";
}

// A grant by a node that had lost its counter: each took the token from its clock, a moment apart.
void Twins::share_token(const redis::Command& command, const Value& real, Value& model) {
  const bool both_granted = script_called(command) == &redis::acquire_script && real.kind == Kind::integer &&
                            model.kind == Kind::integer && real.integer != model.integer;
  if (!both_granted || !near(real.integer / 1000 + ahead_ms(), model.integer / 1000)) return;
  const std::string& lease = command.at(3);
  const std::string& stamp = command.at(3 + std::stoul(command.at(2)) + 1);
  model_.run({"SET", lease, stamp + std::to_string(real.integer), "KEEPTTL"}, now());
  model = real;
}

std::string Twins::share_fence(const std::string& fence) {
  const auto [real, model] = ask({"GET", fence});
  if (real == model) return "";
  const auto real_ms = std::atoll(real.text.c_str()) / 1000;
  const auto model_ms = std::atoll(model.text.c_str()) / 1000;
  if (real.kind != Kind::string || model.kind != Kind::string || !near(real_ms + ahead_ms(), model_ms)) {
    return difference("the fence", real, model);
  }
  model_.run({"SET", fence, real.text, "KEEPTTL"}, now());
  return "";
}

std::string Twins::compare_data() {
  const Value real = real_.command({"EVAL", std::string(dump_script), "0"});
  Value model = Value::array({});
  const auto moment = now();
  for (const std::string& key : model_.data().keys(moment)) {
    const auto* entry = std::as_const(model_).data().find(key, moment);
    model.items.push_back(
        Value::array({Value::string(key), Value::string(model_.run({"TYPE", key}, moment).text),
                      content(*entry), model_.run({"PTTL", key}, moment)}));
  }
  const Comparison comparison{ahead_ms()};
  const bool alike = std::equal(real.items.begin(), real.items.end(), model.items.begin(), model.items.end(),
                                [&](const Value& a, const Value& b) { return comparison.same_key(a, b); });
  return alike ? compare_messages() : difference("the data", real, model);
}

std::string Twins::compare_messages() {
  // The pong comes behind all that was published before.
  listener_.send({"PING"});
  Value real = Value::array({});
  for (Value heard = listener_.receive(); heard.kind == Kind::array && heard.items.at(0).text == "message";
       heard = listener_.receive()) {
    real.items.push_back(std::move(heard));
  }
  const Value model = Value::array(std::exchange(messages_, {}));
  return real == model ? "" : difference("the messages", real, model);
}

void Twins::step(std::chrono::seconds duration) {
  ahead_ += duration;
  real_.command(
      {"EVAL", std::string(step_script), "0", std::to_string(std::chrono::milliseconds(duration).count())});
}

std::string Twins::text(const std::string& key) const {
  const std::string* found = model_.data().get(key, now());
  return found != nullptr ? *found : "";
}

std::int64_t Twins::ahead_ms() const { return std::chrono::floor<std::chrono::milliseconds>(ahead_).count(); }

sim::NodeTime Twins::now() const {
  const auto real = std::chrono::system_clock::now().time_since_epoch();
  return (std::chrono::floor<std::chrono::microseconds>(real) + ahead_).count();
}

std::string to_text(const Value& value) {
  switch (value.kind) {
    case Kind::nil:
      return "nil";
    case Kind::integer:
      return std::to_string(value.integer);
    case Kind::status:
      return "+" + core::printable(value.text);
    case Kind::string:
      return '"' + core::printable(value.text) + '"';
    case Kind::error:
      return "-" + core::printable(value.text);
    case Kind::array:
      break;
  }
  std::string text = "{";
  for (const Value& item : value.items) text += (text.size() > 1 ? ", " : "") + to_text(item);
  return text + "}";
}

std::string to_text(const redis::Command& command) {
  std::string text;
  for (const std::string& word : command) {
    const redis::Script* script = script_named(word);
    text += (text.empty() ? "" : " ") +
            (script != nullptr ? std::string(script->name) : core::printable(word, 60));
  }
  return text;
}

const redis::Script* script_called(const redis::Command& command) {
  return command[0].starts_with("EVAL") && command.size() > 1 ? script_named(command[1]) : nullptr;
}

}  // namespace tenure::conformance
