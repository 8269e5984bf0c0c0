// Watches a world in its true time and says which invariant was broken first. It trusts nothing that
// the clients say of themselves beyond "I hold this until then".
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/notice.hpp"
#include "sim/judge/slack.hpp"
#include "sim/world/clock.hpp"

namespace tenure::sim {

struct Violation {
  std::string invariant;  // "S1"
  std::string what;
  TrueTime at{};
};

// How many acquisitions over several nodes took how many rounds.
struct Rounds {
  std::uint64_t one = 0;
  std::uint64_t two = 0;
};

class Judge {
 public:
  // The majority of the smallest set that there is in this world.
  explicit Judge(std::size_t quorum) : quorum_(quorum) {}

  void violated(std::string_view invariant, TrueTime at, std::string what);
  // An assumption was broken on purpose: two may believe that they hold a name (S1, S4, S8), while what is
  // promised regardless goes on being judged, S2 above all.
  void on_broken_assumption() { assumptions_hold_ = false; }
  // Two servers take writes for one node: two may hold a name, and tokens are not given in their order (S3). None comes
  // twice, so that a fenced resource is safe (S2).
  void on_two_masters() {
    assumptions_hold_ = false;
    order_holds_ = false;
  }
  // A node went back to older data, and only those who knew more can know: tokens may come again (S2, S3), but not to
  // them (S15).
  void on_data_went_back() {
    assumptions_hold_ = false;
    tokens_hold_ = false;
  }
  // That node went back, and its counter is past all that it had given before: nobody can tell any more, and a holder may lose
  // there what it had.
  void on_hidden_loss(std::size_t node) { hide_losses_.insert(node); }
  const std::set<std::size_t>& hide_losses() const { return hide_losses_; }
  const std::optional<Violation>& violation() const { return violation_; }

  // A node gave a new grant: its key shows this stamp and token from now on. With one node that is the lease.
  void on_node_grant(std::size_t node, const std::string& key, const std::string& stamp, core::Token token,
                     TrueTime now);
  // A node confirmed the token of a grant. By a majority that is the lease, if its client then believes in it.
  void on_node_confirm(std::size_t node, const std::string& key, const std::string& value, TrueTime now);
  // Did a majority show that holder at some time?
  bool was_shown(const std::string& key, const core::Holder& holder) const;
  // From now on a client believes that it holds that value, until then by its own clock. A majority must have
  // given it, and nobody else may believe the same of that key (S1).
  void on_belief(const std::string& key, const std::string& value, std::size_t quorum, TrueTime now,
                 TrueTime until);
  // It believes so no more.
  void on_disbelief(const std::string& key, const std::string& value, TrueTime now);

  // A write reached the fenced register of that key. True when the register took it (S2).
  bool on_write(const std::string& key, const std::string& value, core::Token token, bool still_held,
                TrueTime now);

  // An acquisition that ended with that grant began then. For the order of what callers saw (S12).
  void on_acquired(const std::string& key, const std::string& value, TrueTime began, TrueTime now);

  // At the end of the world: every belief ended before the next grant (S4), and all that callers saw could have
  // happened one after the other (S12).
  void compare_beliefs_with_grants();
  const Slack& slack() const { return slack_; }
  std::uint64_t grants() const { return grants_; }

  // An acquisition over several nodes was won, in one round or in two.
  void on_won(bool second_round) { (second_round ? rounds_.two : rounds_.one) += 1; }
  const Rounds& rounds() const { return rounds_; }

 private:
  struct Given {
    std::string value;
    core::Token token = 0;
    TrueTime at{};
    std::optional<TrueTime> asked_at{};  // when its acquisition began
    std::optional<TrueTime> acquired_at{};
    std::optional<TrueTime> believed_until{};
    bool given_up = false;  // the belief ended before its time: released, or told that it is gone
  };
  struct History {
    std::vector<Given> grants;          // in their order
    std::vector<std::size_t> believed;  // those that somebody may still believe in
    core::Token last_token = 0;
    std::map<std::string, std::set<std::size_t>> gave;  // by stamp: the nodes that gave it
    // By value: the nodes that minted its token or took it, and when.
    std::map<std::string, std::map<std::size_t, TrueTime>> stands;
    std::map<std::pair<core::Token, std::string>, std::set<std::size_t>> showed;  // by token and owner
  };
  struct Register {
    core::Token token = 0;
    std::string value;
  };

  void on_grant(const std::string& key, const std::string& value, core::Token token, TrueTime now);
  void linearize(const History& history);
  // When its token stood on so many nodes; nothing: never.
  static std::optional<TrueTime> stands_since(const History& history, const std::string& value,
                                              std::size_t quorum);
  static std::optional<std::size_t> find(const History& history, const std::string& value);

  std::size_t quorum_;
  std::optional<Violation> violation_;
  std::map<std::string, History> history_;  // by key
  std::map<std::string, Register> registers_;
  Slack slack_;
  std::set<std::size_t> hide_losses_;  // nodes
  bool assumptions_hold_ = true;
  bool order_holds_ = true;
  bool tokens_hold_ = true;
  std::uint64_t grants_ = 0;
  Rounds rounds_;
};

}  // namespace tenure::sim
