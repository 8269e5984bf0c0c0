// Watches a world in its true time and says which invariant was broken first. It trusts nothing that
// the clients say of themselves beyond "I hold this until then".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/action.hpp"
#include "sim/clock.hpp"
#include "sim/slack.hpp"

namespace tenure::sim {

struct Violation {
  std::string invariant;  // "S1"
  std::string what;
  TrueTime at{};
};

class Judge {
 public:
  void violated(std::string_view invariant, TrueTime at, std::string what);
  // An assumption was broken on purpose: two may believe that they hold a name (S1, S4), while what is
  // promised regardless goes on being judged, S2 above all.
  void on_broken_assumption() { assumptions_hold_ = false; }
  const std::optional<Violation>& violation() const { return violation_; }

  // A node gave a new grant: its key shows this value from now on.
  void on_grant(const std::string& key, const std::string& value, core::Token token, TrueTime now);
  // From now on a client believes that it holds that value, until then by its own clock. Nobody else may
  // believe the same of that key (S1).
  void on_belief(const std::string& key, const std::string& value, TrueTime now, TrueTime until);
  // It believes so no more.
  void on_disbelief(const std::string& key, const std::string& value, TrueTime now);

  // A write reached the fenced register of that key. True when the register took it (S2).
  bool on_write(const std::string& key, const std::string& value, core::Token token, bool still_held,
                TrueTime now);

  // At the end of the world: every belief ended before the next grant (S4).
  void compare_beliefs_with_grants();
  const Slack& slack() const { return slack_; }
  std::uint64_t grants() const { return grants_; }

 private:
  struct Given {
    std::string value;
    TrueTime at{};
    std::optional<TrueTime> believed_until{};
    bool given_up = false;  // the belief ended before its time: released, or told that it is gone
  };
  struct History {
    std::vector<Given> grants;          // in their order
    std::vector<std::size_t> believed;  // those that somebody may still believe in
  };
  struct Register {
    core::Token token = 0;
    std::string value;
  };

  static std::optional<std::size_t> find(const History& history, const std::string& value);

  std::optional<Violation> violation_;
  std::map<std::string, History> history_;  // by key
  std::map<std::string, Register> registers_;
  core::Token last_token_ = 0;
  Slack slack_;
  bool assumptions_hold_ = true;
  std::uint64_t grants_ = 0;
};

}  // namespace tenure::sim
