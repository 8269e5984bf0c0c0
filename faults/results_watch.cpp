#include "faults/results_watch.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <vector>

#include "core/lease/grant.hpp"
#include "support/redis_connection.hpp"

namespace tenure::faults {

namespace {

constexpr std::chrono::milliseconds between_looks{250};

std::vector<core::Token> tokens(test::RedisConnection& redis, std::size_t sessions) {
  for (std::size_t i = 1; i <= sessions; ++i) redis.send({"HGET", "state:s-" + std::to_string(i), "token"});
  std::vector<core::Token> tokens;
  for (std::size_t i = 1; i <= sessions; ++i) {
    const std::string text = redis.receive().text;
    tokens.push_back(text.empty() ? 0 : std::stoull(text));
  }
  return tokens;
}

}  // namespace

ResultsWatch::ResultsWatch(std::string socket_path, std::size_t sessions)
    : socket_path_(std::move(socket_path)),
      sessions_(sessions),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void ResultsWatch::run(const std::stop_token& stop) {
  std::vector<core::Token> last(sessions_);
  while (!stop.stop_requested()) {
    try {
      test::RedisConnection redis(socket_path_);
      while (!stop.stop_requested()) {
        const auto now = tokens(redis, sessions_);
        for (std::size_t i = 0; i < sessions_; ++i) {
          if (now[i] < last[i]) went_back_ += 1;
          last[i] = std::max(last[i], now[i]);
        }
        looks_ += 1;
        std::this_thread::sleep_for(between_looks);
      }
    } catch (const std::runtime_error&) {
      std::this_thread::sleep_for(between_looks);  // it was stopped for a while, by us
    }
  }
}

}  // namespace tenure::faults
