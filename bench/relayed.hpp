// Hand-overs of a lock by those that are compared: in blocks that take turns.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "client_of.hpp"
#include "peer.hpp"
#include "relay.hpp"
#include "row.hpp"

namespace tenure::bench {

// Participants that take a lock by Tenure: each with a client of its own, as if they were processes, or all with one.
class ByTenure {
 public:
  enum class Clients : std::uint8_t { one_each, one };
  // How an owner gives the lock back: it waits for the answer, or its lease ends with a scope, which does not.
  enum class Ends : std::uint8_t { by_release, with_scope };

  ByTenure(const std::function<Client()>& open, const std::string& name, std::size_t participants,
           Clients clients, Ends ends = Ends::by_release);
  const std::vector<Participant>& all() const { return all_; }

 private:
  struct Own {
    Lock lock;
    std::optional<Lease> lease;
  };
  std::vector<Client> clients_;
  std::deque<Own> own_;
  std::vector<Participant> all_;
};

struct Relayed {
  std::string name;
  Kind kind = Kind::tenure;
  std::function<HandOvers()> block;
};

// In blocks of so many hand-overs.
Relayed relayed_by(Peer& peer, std::size_t waiters, int times);

// As many blocks of each, in turn. A peer that fails is left out from then on, with a remark.
std::vector<Entry> measure(const std::vector<Relayed>& all, int rounds);

}  // namespace tenure::bench
