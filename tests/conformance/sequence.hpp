// A random history of one Redis, from one seed: clients that take, confirm, renew, release and put back
// leases, some with grants that are stale, wrong or not theirs, wait in queues, begin and end quarantines,
// while somebody edits the same keys by hand.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/random.hpp"
#include "twins.hpp"

namespace tenure::conformance {

// How often scripts gave which kind of answer: a history in which nothing happens compares nothing.
using Tally = std::map<std::string, int>;

class Sequence {
 public:
  Sequence(Twins& twins, std::uint64_t seed, Tally& tally);

  // Gives what differed, or nothing.
  std::string begin();
  std::string step();
  // What the last step did.
  const std::string& told() const { return told_; }

 private:
  // Somebody who wants a lease: a new stamp for each try, a ticket for as long as it waits.
  struct Attempt {
    std::string key;
    std::string owner;
    std::string stamp;
    std::string ticket;
    std::string value{};  // once granted
  };

  std::string acquire();
  std::string confirm();
  std::string renew();
  std::string release();
  std::string reassert();
  std::string admit();
  std::string open();
  std::string init();
  std::string reconfigure();
  std::string publish_result();
  std::string look();
  std::string break_lease();
  std::string edit();
  std::string edit_list();
  std::string edit_bookkeeping();
  std::string turn_listener();
  std::string wait();

  std::string call(const redis::Script& script, std::vector<std::string> keys,
                   std::vector<std::string> values);
  std::string compare(const redis::Command& command);
  void count(const redis::Script& script, const redis::Value& answer);
  void count_looks(const redis::Value& answer);

  Attempt& attempt();
  std::string any_key();
  std::string any_value(const std::string& key);
  std::string any_stamp(const std::string& key);
  std::string any_ticket(const std::string& key);
  std::string any_token(const std::string& key);
  // A token that the caller has seen: none, one around the counter, at most so far above it, or one far above. An admission
  // tells none just above it: that is compared with the time, and the clock of the real Redis cannot be stepped.
  std::string proposal();
  std::string seen(int above_max);
  std::string any_owner() { return "web-" + std::to_string(random_.below(4)); }
  std::string ttl();
  // How long a name is kept for one waiter.
  std::string turn();
  // What the record begins with, before its state; sometimes of another cap, set or epoch.
  std::string admission();
  std::string cap();
  std::string set();
  std::string epoch() { return hex(random_.next()); }
  std::string stamp(const std::string& owner) { return owner + "#" + hex(random_.next()) + "#"; }
  // What a caller's wall clock shows, in unix ms; often a whole quarantine apart from the last one.
  std::string wall();
  static std::string hex(std::uint64_t number);

  template <class T>
  const T& one_of(const std::vector<T>& choices) {
    return choices[random_.below(choices.size())];
  }
  bool chance(unsigned percent) { return random_.below(100) < percent; }

  Twins& twins_;
  core::Random random_;
  Tally& tally_;
  redis::Keyspace names_;
  std::vector<Attempt> attempts_;
  std::string told_;
};

}  // namespace tenure::conformance
