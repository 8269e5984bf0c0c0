// A random history of one Redis, from one seed: clients that take, renew and release leases, some with
// grants that are stale, wrong or not theirs, while somebody edits the same keys by hand.
#pragma once

#include <string>
#include <vector>

#include "core/grant.hpp"
#include "core/random.hpp"
#include "twins.hpp"

namespace tenure::conformance {

class Sequence {
 public:
  Sequence(Twins& twins, std::uint64_t seed) : twins_(twins), random_(seed) {}

  // Gives what differed, or nothing.
  std::string begin();
  std::string step();
  // What the last step did.
  const std::string& told() const { return told_; }

 private:
  struct Attempt {
    std::string key;
    core::Grant grant;
    std::string value;  // once granted
  };

  std::string acquire();
  std::string renew();
  std::string release();
  std::string init();
  std::string edit();
  std::string edit_bookkeeping();
  std::string wait();

  std::string call(const redis::Script& script, std::vector<std::string> keys,
                   std::vector<std::string> values);
  std::string compare(const redis::Command& command);
  Attempt& attempt();
  std::string any_key();
  std::string any_value(const std::string& key);
  std::string any_stamp(const std::string& key);
  std::string ttl();
  template <class T>
  const T& one_of(const std::vector<T>& choices) {
    return choices[random_.below(choices.size())];
  }
  bool chance(unsigned percent) { return random_.below(100) < percent; }

  Twins& twins_;
  core::Random random_;
  redis::Keyspace names_;
  std::vector<Attempt> attempts_;
  std::string told_;
};

}  // namespace tenure::conformance
