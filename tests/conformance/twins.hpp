// A real Redis and the simulated one, side by side: each command goes to both, and what differs is told.
// Both are in the same life, and the same channels have a listener.
#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "sim/redis/redis_model.hpp"
#include "support/redis_connection.hpp"
#include "support/redis_server.hpp"

namespace tenure::conformance {

class Twins {
 public:
  Twins(test::RedisServer& real, sim::ScriptHost& host);
  Twins(const Twins&) = delete;
  Twins& operator=(const Twins&) = delete;

  // Empty again, without scripts, without listeners, with clocks that agree.
  void reset();

  // One listener hears these channels.
  void listen(const std::string& channel);
  void stop_listening(const std::string& channel);
  bool listens(const std::string& channel) const { return channels_.contains(channel); }

  struct Answers {
    redis::Value real;
    redis::Value model;
  };
  // In a command this stands for when the record was made, which is not the same moment in both.
  static constexpr std::string_view own_made = "(made)";
  // And this for the whole of it.
  static constexpr std::string_view own_record = "(record)";
  Answers ask(const redis::Command& command);

  // Sends to both and compares. Both of these give what differs in words, or nothing. Where a script writes
  // the time, a moment's difference is none, and fence and token are the same in both afterwards.
  std::string compare(const redis::Command& command);
  // All keys, and what the listeners heard since the last time.
  std::string compare_data();
  // What the model said last.
  const redis::Value& answer() const { return answer_; }

  // The model's clock moves. The real one cannot: there every key loses that much of its TTL, and a record
  // was made that much earlier.
  void step(std::chrono::seconds duration);

  // What the model has there; empty if nothing.
  std::string text(const std::string& key) const;
  sim::RedisModel& model() { return model_; }
  // "<run_id>-<replid>", as records show it.
  std::string life() const { return model_.server().run_id + "-" + model_.server().replid; }
  // Messages that somebody heard, and that nobody did.
  std::uint64_t heard() const { return heard_; }
  std::uint64_t unheard() const { return unheard_; }

 private:
  sim::NodeTime now() const;
  std::int64_t ahead_ms() const;
  std::string share_fence(const std::string& fence);
  void share_token(const redis::Command& command, const redis::Value& real, redis::Value& model);
  std::string compare_messages();

  test::RedisServer& real_;
  test::RedisConnection listener_;
  sim::RedisModel model_;
  std::chrono::microseconds ahead_{0};  // of the model's clock
  redis::Value answer_;
  std::set<std::string, std::less<>> channels_;
  std::vector<redis::Value> messages_;  // heard from the model, as Redis would send them
  std::uint64_t heard_ = 0;
  std::uint64_t unheard_ = 0;
};

// The two take a moment each, so times may differ by a little; everything random here is much longer.
inline constexpr std::chrono::milliseconds tolerance{2000};

std::string to_text(const redis::Value& value);
std::string to_text(const redis::Command& command);
// The script that a command calls by its name or its body; null: none of ours.
const redis::Script* script_called(const redis::Command& command);

}  // namespace tenure::conformance
