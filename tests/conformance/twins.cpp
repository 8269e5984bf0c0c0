#include "twins.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/text.hpp"

namespace tenure::conformance {

namespace {

using redis::Value;
using Kind = Value::Kind;

// In one call, because it is asked for after every step: {key, type, text, PTTL} of all keys, sorted.
constexpr std::string_view dump_script = R"lua(
local all = {}
local keys = redis.call('KEYS', '*')
table.sort(keys)
for i, key in ipairs(keys) do
  local type = redis.call('TYPE', key).ok
  all[i] = {key, type, type == 'string' and redis.call('GET', key) or '', redis.call('PTTL', key)}
end
return all
)lua";

constexpr std::string_view step_script = R"lua(
for _, key in ipairs(redis.call('KEYS', '*')) do
  local left = redis.call('PTTL', key)
  if left >= 0 then redis.call('PEXPIRE', key, string.format('%.0f', left - ARGV[1])) end
end
)lua";

bool near(std::int64_t a, std::int64_t b, std::chrono::milliseconds allowed = tolerance) {
  return std::abs(a - b) <= allowed.count();
}

// A time left: -1 and -2 are words, not times.
bool same_time_left(const Value& real, const Value& model) {
  if (real.kind != Kind::integer || model.kind != Kind::integer) return false;
  if (real.integer < 0 || model.integer < 0) return real.integer == model.integer;
  return near(real.integer, model.integer);
}

// Versions of Redis name the script and the line in different ways.
std::string_view without_place(std::string_view error) { return error.substr(0, error.find(" script: ")); }

bool same(const Value& real, const Value& model) {
  if (real.kind != model.kind) return false;
  if (real.kind == Kind::error) return without_place(real.text) == without_place(model.text);
  if (real.kind != Kind::array) return real == model;
  const bool held = real.items.size() == 3 && real.items[0].text == "held";
  return real.items.size() == model.items.size() &&
         std::equal(real.items.begin(), real.items.end() - (held ? 1 : 0), model.items.begin(), same) &&
         (!held || same_time_left(real.items[2], model.items[2]));
}

std::string difference(const std::string& what, const Value& real, const Value& model) {
  return what + "\n  real  " + shown(real) + "\n  model " + shown(model);
}

const redis::Script* script_called(std::string_view word) {
  for (const auto* script :
       {&redis::acquire_script, &redis::renew_script, &redis::release_script, &redis::init_script}) {
    if (word == script->sha1 || word == script->body) return script;
  }
  return nullptr;
}

std::string after(const std::string& text, std::size_t prefix) {
  return text.substr(std::min(prefix, text.size()));
}

}  // namespace

void Twins::reset() {
  ask({"FLUSHALL"});
  ask({"SCRIPT", "FLUSH"});
  ahead_ = {};
}

Twins::Answers Twins::ask(const redis::Command& command) {
  Value model = model_.run(command, now());
  return {real_.command(command), std::move(model)};
}

std::string Twins::compare(const redis::Command& command) {
  const auto [real, model] = ask(command);
  const bool alike = command[0] == "PTTL" ? same_time_left(real, model) || real == model : same(real, model);
  return alike ? "" : difference(shown(command), real, model);
}

std::string Twins::compare_data() {
  const Value real = real_.command({"EVAL", std::string(dump_script), "0"});
  Value model = Value::array({});
  for (const std::string& key : model_.data().keys(now())) {
    model.items.push_back(
        Value::array({Value::string(key), Value::string(model_.run({"TYPE", key}, now()).text),
                      Value::string(text(key)), model_.run({"PTTL", key}, now())}));
  }
  const bool alike = std::equal(real.items.begin(), real.items.end(), model.items.begin(), model.items.end(),
                                [](const Value& a, const Value& b) {
                                  return std::equal(a.items.begin(), a.items.begin() + 3, b.items.begin()) &&
                                         same_time_left(a.items[3], b.items[3]);
                                });
  return alike ? "" : difference("the data", real, model);
}

std::string Twins::compare_init(const redis::Command& init, const redis::Keyspace& names) {
  const auto [real, model] = ask(init);
  const bool made = real.kind == Kind::array && real.items.size() == 2 && real.items[0].text == "made";
  if (!made) return same(real, model) ? "" : difference(shown(init), real, model);

  const std::string& wanted = init.back();
  if (model.kind != Kind::array || model.items.size() != 2 || model.items[0] != real.items[0] ||
      !real.items[1].text.starts_with(wanted + " ") || !model.items[1].text.starts_with(wanted + " ")) {
    return difference(shown(init), real, model);
  }
  const auto ahead_ms = std::chrono::floor<std::chrono::milliseconds>(ahead_).count();
  const auto real_stamp = std::atoll(after(real.items[1].text, wanted.size()).c_str());
  const auto model_stamp = std::atoll(after(model.items[1].text, wanted.size()).c_str());
  if (!near(real_stamp, model_stamp - ahead_ms)) return difference("the stamp of the record", real, model);

  const auto [real_fence, model_fence] = ask({"GET", names.fence()});
  const auto real_us = std::atoll(real_fence.text.c_str());
  const auto model_us = std::atoll(model_fence.text.c_str());
  if (real_us != model_us && !near(real_us / 1000, model_us / 1000 - ahead_ms)) {
    return difference("the fence", real_fence, model_fence);
  }
  model_.run({"SET", names.record(), real.items[1].text}, now());
  model_.run({"SET", names.fence(), real_fence.text}, now());
  return "";
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

sim::NodeTime Twins::now() const {
  const auto real = std::chrono::system_clock::now().time_since_epoch();
  return (std::chrono::floor<std::chrono::microseconds>(real) + ahead_).count();
}

std::string shown(const Value& value) {
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
  for (const Value& item : value.items) text += (text.size() > 1 ? ", " : "") + shown(item);
  return text + "}";
}

std::string shown(const redis::Command& command) {
  std::string text;
  for (const std::string& word : command) {
    const redis::Script* script = script_called(word);
    text += (text.empty() ? "" : " ") +
            (script != nullptr ? std::string(script->name) : core::printable(word, 60));
  }
  return text;
}

}  // namespace tenure::conformance
