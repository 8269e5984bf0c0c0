// A random history of one node, from one seed, in requests of the core: clients that take, confirm, renew, release and put back
// leases, some with grants that are stale, wrong or not theirs, wait in queues, begin and end quarantines, break leases and live
// in a fleet.
#pragma once

#include <string>
#include <vector>

#include "core/base/random.hpp"
#include "postgres_twins.hpp"
#include "sequence.hpp"

namespace tenure::conformance {

class PostgresSequence {
 public:
  // Whose processes there are. Each of these gives what differed, or nothing.
  static const std::vector<std::string>& owners();

  PostgresSequence(PostgresTwins& twins, std::uint64_t seed, Tally& tally);

  std::string begin();
  std::string step();

 private:
  using Client = PostgresTwins::Client;
  // Somebody who wants a lease: a new grant for each try, a ticket for as long as it waits.
  struct Attempt {
    std::string key{};
    std::size_t client = 0;
    core::Grant grant{};
    core::Grant ticket{};
    core::Token token = 0;  // once granted
  };

  std::string acquire();
  std::string confirm();
  std::string renew();
  std::string reassert();
  std::string release();
  std::string open();
  std::string look();
  std::string break_lease();
  std::string admit(std::size_t client);
  std::string admit(std::size_t client, const Client& as);
  std::string init();
  std::string reconfigure();
  std::string begin_new_life();
  std::string beat();
  std::string lists();
  void turn_listener();
  void wait();
  void wait_long();

  std::string ask(std::size_t client, const core::Request& request);

  const std::string& any_key();
  Attempt& attempt();
  Attempt* attempt_for(const std::string& key);
  core::Grant any_grant(const std::string& key);
  core::Token any_token(const std::string& key);
  core::Holding any_holding(const std::string& key);
  std::vector<std::string> some_keys(std::uint64_t most);
  core::Token any_counted();
  core::Ttl ttl();
  core::Terms other_terms();
  redis::Introduction introduction();
  const std::string& owner_of(std::size_t client) const { return owners().at(client); }
  std::size_t any_client() { return random_.below(owners().size()); }
  core::Grant grant_of(std::size_t client) { return {owner_of(client), random_.next()}; }

  template <class T>
  const T& one_of(const std::vector<T>& choices) {
    return choices[random_.below(choices.size())];
  }
  bool chance(unsigned percent) { return random_.below(100) < percent; }

  PostgresTwins& twins_;
  core::Random random_;
  Tally& tally_;
  std::vector<Client> clients_;
  std::vector<Attempt> attempts_;
  std::vector<core::Grant> marks_;
  core::Ttl waited_{};  // since everything was over the last time
};

}  // namespace tenure::conformance
