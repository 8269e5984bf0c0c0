// The commands of the floors: a lock by Tenure's own scripts, and the plainest lock that is still one.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "core/lease/grant.hpp"
#include "floor.hpp"
#include "redis/script_call.hpp"

namespace tenure::bench {

// The epoch that requests must name: the second word of the record.
inline std::string epoch_of(Floor& redis) {
  const std::string record = redis.call({"GET", "tenure:record"})->str;
  const auto space = record.find(' ');
  return record.substr(space + 1, record.find(' ', space + 1) - space - 1);
}

// The same scripts with the same arguments as Tenure's. On several nodes, one for each gives the same grants.
class SameScripts {
 public:
  explicit SameScripts(Floor& redis) : epoch_(epoch_of(redis)) {
    const core::Grant warm("floor", 1);
    constexpr auto by = redis::CallBy::body;  // makes them known
    redis.call(redis::script_call(core::AcquireRequest{"warm", warm, ttl}, {}, epoch_, by));
    redis.call(redis::script_call(core::ConfirmRequest{"warm", warm, 1}, {}, epoch_, by));
    redis.call(redis::script_call(core::ReleaseRequest{"warm", warm}, {}, epoch_, by));
  }
  Words acquire(const std::string& key) {
    grant_ = core::Grant("floor", ++nonce_);
    return redis::script_call(core::AcquireRequest{key, grant_, ttl}, {}, epoch_, redis::CallBy::sha1);
  }
  Words confirm(const std::string& key, core::Token token) const {
    return redis::script_call(core::ConfirmRequest{key, grant_, token}, {}, epoch_, redis::CallBy::sha1);
  }
  Words release(const std::string& key) const {
    return redis::script_call(core::ReleaseRequest{key, grant_}, {}, epoch_, redis::CallBy::sha1);
  }

 private:
  static constexpr std::chrono::milliseconds ttl{30'000};

  std::string epoch_;
  core::Grant grant_;
  std::uint64_t nonce_ = 1;
};

// SET NX PX, and a script that compares and deletes.
class PlainSet {
 public:
  explicit PlainSet(Floor& redis) : sha_(redis.call({"SCRIPT", "LOAD", compare_and_delete})->str) {}
  Words acquire(const std::string& key) {
    value_ = "floor" + std::to_string(++nonce_);
    return {"SET", key, value_, "NX", "PX", "30000"};
  }
  Words release(const std::string& key) const { return {"EVALSHA", sha_, "1", key, value_}; }

 private:
  static constexpr const char* compare_and_delete =
      "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

  std::string sha_;
  std::string value_;
  std::uint64_t nonce_ = 1;
};

}  // namespace tenure::bench
