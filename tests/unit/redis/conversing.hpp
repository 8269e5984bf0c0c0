// One conversation and what is said in it; for its tests.
#pragma once

#include <gtest/gtest.h>

#include "redis/conversation.hpp"

namespace tenure::redis {

using namespace std::chrono_literals;
using core::Applied;
using core::FailureCode;
using core::RequestId;

inline const core::Grant grant("us", 0xaa);
inline const core::Request acquire_a = core::AcquireRequest{"a", grant, 10s};
inline const core::Request release_a = core::ReleaseRequest{"a", grant};
inline const core::Request release_b = core::ReleaseRequest{"b", core::Grant("us", 0xbb)};

inline const Value ok = Value::status("OK");
inline const Value no_script = Value::error("NOSCRIPT No matching script. Please use EVAL.");
inline const Value one_done = Value::array({Value::of(1)});
inline const Value one_missing = Value::array({Value::of(0)});

inline Value record(const std::string& epoch, const std::string& state = "open",
                    const std::string& cap = "60000") {
  return Value::string(cap + " 1 " + epoch + " " + state + " life 1700000000000 1700000000000 " + cap +
                       " restarted");
}

struct Conversing : testing::Test {
  Greeting greeting{};
  std::vector<Command> out;
  std::optional<Conversation> it;
  int introductions = 0;

  // Each time by another epoch and a later clock: "new1", "new2", …
  Introduction introduction(int nth) const { return {"new" + std::to_string(nth), 1000 + nth}; }
  Command admit(int nth, CallBy by = CallBy::sha1, core::Token seen = 0) const {
    Command command = admit_call(introduction(nth), {}, by);
    command.push_back(std::to_string(seen));
    return command;
  }

  Conversation& begin() {
    introductions = 0;
    it.emplace(greeting, Keyspace{}, [this] { return introduction(++introductions); });
    return *it;
  }
  Conversation& open() {
    begin().open(out);
    return *it;
  }
  // Open, and admitted to that epoch; what was said until then is forgotten.
  Conversation& admitted(const std::string& epoch = "e1") {
    open();
    EXPECT_TRUE(hear(record(epoch)).admitted);
    out.clear();
    return *it;
  }

  static Command call(const core::Request& request, const std::string& epoch = "e1", CallBy by = CallBy::sha1,
                      core::Token seen = 0) {
    Command command = script_call(request, {}, epoch, by);
    const bool tells_seen = std::holds_alternative<core::AcquireRequest>(request) ||
                            std::holds_alternative<core::ReassertRequest>(request);
    if (tells_seen) command.push_back(std::to_string(seen));
    return command;
  }
  // Also what was gathered so far.
  std::vector<Command> said() {
    if (it) it->flush(out);
    return std::exchange(out, {});
  }
  struct Heard {
    std::vector<Conversation::Answer> answers{};
    std::optional<core::Record> admitted{};
  };
  tl::expected<std::optional<Conversation::Admitted>, core::Failure> try_hear(const Value& value) {
    std::vector<Conversation::Answer> answers;
    return it->hear(value, out, answers);
  }
  Heard hear(const Value& value) {
    it->flush(out);
    Heard heard;
    if (auto admitted = it->hear(value, out, heard.answers).value()) heard.admitted = admitted->record;
    return heard;
  }
  // The answer that this value completes, if any.
  std::optional<Conversation::Answer> answer(const Value& value) {
    const Heard heard = hear(value);
    EXPECT_LE(heard.answers.size(), 1U);
    return heard.answers.empty() ? std::nullopt : std::optional(heard.answers.front());
  }
};

}  // namespace tenure::redis
