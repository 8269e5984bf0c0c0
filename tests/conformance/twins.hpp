// A real Redis and the simulated one, side by side: each command goes to both, and what differs is told.
#pragma once

#include <chrono>
#include <string>

#include "sim/redis_model.hpp"
#include "support/redis_server.hpp"

namespace tenure::conformance {

class Twins {
 public:
  Twins(test::RedisServer& real, sim::ScriptHost& host) : real_(real), model_(host) {}

  // Empty again, without scripts, with clocks that agree.
  void reset();

  struct Answers {
    redis::Value real;
    redis::Value model;
  };
  Answers ask(const redis::Command& command);

  // Sends to both and compares. All of these give what differs in words, or nothing.
  std::string compare(const redis::Command& command);
  std::string compare_data();
  // Makes the record and the fence, which hold the time; afterwards they are the same in both.
  std::string compare_init(const redis::Command& init, const redis::Keyspace& names);

  // The model's clock moves. The real one cannot: there every key loses that much of its TTL.
  void step(std::chrono::seconds duration);

  // What the model has there; empty if nothing.
  std::string text(const std::string& key) const;

 private:
  sim::NodeTime now() const;

  test::RedisServer& real_;
  sim::RedisModel model_;
  std::chrono::microseconds ahead_{0};  // of the model's clock
};

// The two take a moment each, so times may differ by a little; everything random here is much longer.
inline constexpr std::chrono::milliseconds tolerance{2000};

std::string shown(const redis::Value& value);
std::string shown(const redis::Command& command);

}  // namespace tenure::conformance
