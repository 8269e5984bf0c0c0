// Every value of the public enumerations has the name of its enumerator, and no other.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tenure/tenure.hpp"

namespace tenure {
namespace {

// The names of all values, up to the first that there is not.
template <class Enumeration>
std::vector<std::string> names() {
  std::vector<std::string> all;
  for (std::uint8_t i = 0;; ++i) {
    const std::string_view name = to_string(static_cast<Enumeration>(i));
    if (name == "unknown") return all;
    all.emplace_back(name);
  }
}

using Names = std::vector<std::string>;

TEST(ToString, NamesEveryValue) {
  EXPECT_EQ(names<Loss>(),
            (Names{"not_renewed", "missing", "taken", "hold_over", "closed", "stepped_down", "stopped"}));
  EXPECT_EQ(names<Released>(), (Names{"released", "expired", "taken"}));
  EXPECT_EQ(names<Refusal::Code>(), (Names{"held", "no_quorum", "not_open", "too_slow", "waited", "cancelled",
                                           "closed", "lost", "usage", "system"}));
  EXPECT_EQ(names<Event::Kind>(),
            (Names{"acquired", "renewed", "uncertain", "lost", "released", "clock_jumped"}));
  EXPECT_EQ(names<FleetEvent::Kind>(), (Names{"acquired", "uncertain", "certain", "ending", "ended",
                                              "instances", "sessions", "not_open", "open"}));
  EXPECT_EQ(names<SessionEnd>(), (Names{"rebalance", "removed", "released", "stopped", "not_renewed",
                                        "missing", "taken", "closed"}));
  EXPECT_EQ(names<PollEvent::Kind>(),
            (Names{"started", "polled", "failed", "recovered", "refused", "bad_session", "good_session",
                   "source_away", "source_back", "results_dropped", "results_back"}));
  EXPECT_EQ(names<StoredSessionsOptions::Find>(), (Names{"scan", "index"}));
}

TEST(ToString, ARefusalSaysItsCodeAndItsSentence) {
  EXPECT_EQ(to_string(Refusal{Refusal::Code::held, "orders is held by web-3"}),
            "held: orders is held by web-3");
}

}  // namespace
}  // namespace tenure
