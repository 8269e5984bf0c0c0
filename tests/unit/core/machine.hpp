// What a machine of the core works with, and what it asked for; for the tests of single machines.
#pragma once

#include <chrono>
#include <ostream>
#include <vector>

#include "core/action.hpp"
#include "core/base/random.hpp"
#include "core/base/text.hpp"
#include "core/lease/timing.hpp"

namespace tenure::core {

using namespace std::chrono_literals;

// Tests tell time as the duration since they began.
inline Time at(Duration since_start) { return Time(since_start); }

// How GoogleTest shows it; every test that compares times must see this.
inline void PrintTo(Time time, std::ostream* out) { *out << to_text(time.time_since_epoch()); }

inline Timing timing_of(TimingOptions options = {.ttl = 10s}) { return make_timing(options).value(); }

inline Failure failed(Applied applied, FailureCode code = FailureCode::server) {
  return {applied, code, "test"};
}

// What a node shows that is in quarantine since that epoch began.
inline FoundRecord in_quarantine(const std::string& epoch, Ttl cap = 60s) {
  return {
      Record{.terms = {cap}, .epoch = epoch, .made_ms = 1, .wall_ms = 1, .longest = cap, .why = "restarted"},
      "in quarantine since " + epoch};
}

// What a node shows that is open, and not to us.
inline const FoundRecord of_another_cap{Record{.terms = {1s},
                                               .epoch = "e1",
                                               .open = true,
                                               .made_ms = 1,
                                               .wall_ms = 1,
                                               .longest = 1s,
                                               .why = "restarted"},
                                        "of another cap"};

struct Desk {
  Requests requests{};
  Actions actions{};
  Random random{1};
  Outbox out{Sender{}, requests, actions};

  // The actions of one kind since the last look, in order; the others are forgotten.
  template <class Kind>
  std::vector<Kind> take() {
    std::vector<Kind> found;
    for (const Action& action : actions) {
      if (const auto* it = std::get_if<Kind>(&action)) found.push_back(*it);
    }
    actions.clear();
    return found;
  }
};

}  // namespace tenure::core
