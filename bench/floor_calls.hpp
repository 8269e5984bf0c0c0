// The commands of the floors: a lock by Tenure's own scripts, and the plainest lock that is still one.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "core/lease/grant.hpp"
#include "core/lease/record.hpp"
#include "floor.hpp"
#include "redis/record_text.hpp"
#include "redis/script_call.hpp"

namespace tenure::bench {

// What requests must name: the terms of the record, and its epoch.
inline core::Record record_of(Floor& redis) {
  const auto record = redis::read_record(redis.call({"GET", "tenure:record"})->str);
  if (!record) throw std::runtime_error("this Redis has no record");
  return *record;
}

// The same scripts with the same arguments as Tenure's. On several nodes, one for each gives the same grants.
class SameScripts {
 public:
  explicit SameScripts(Floor& redis) : record_(record_of(redis)) {
    keyspace_.cap = record_.terms.cap;
    keyspace_.set = record_.terms.set;
    const core::Grant warm("floor", 1);
    // Makes them known. A floor that is refused would be too cheap.
    const auto granted = redis.call(acquire("warm", warm, redis::CallBy::body));
    if (granted->type != REDIS_REPLY_INTEGER) throw std::runtime_error("the floor is granted nothing");
    redis.call(call(core::ReleaseRequest{"warm", warm}, redis::CallBy::body));
  }
  Words acquire(const std::string& key, core::Token proposal = 0) {
    grant_ = core::Grant("floor", ++nonce_);
    return acquire(key, grant_, redis::CallBy::sha1, proposal);
  }
  Words release(const std::string& key) const {
    return call(core::ReleaseRequest{key, grant_}, redis::CallBy::sha1);
  }

 private:
  static constexpr std::chrono::milliseconds ttl{30'000};

  Words call(const core::Request& request, redis::CallBy by) const {
    return redis::script_call(request, keyspace_, record_.epoch, by);
  }
  // As one who has seen no token there.
  Words acquire(const std::string& key, const core::Grant& grant, redis::CallBy by,
                core::Token proposal = 0) const {
    Words words = call(core::AcquireRequest{key, grant, ttl, std::nullopt, proposal}, by);
    words.emplace_back("0");
    return words;
  }

  core::Record record_;
  redis::Keyspace keyspace_{};
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
