// Judges from outside who held a name and when, by looking at held() again and again: never two at once, and
// tokens that grow. For tests that link the runtime.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/boot_clock.hpp"
#include "runtime/engine/client.hpp"

namespace tenure::test {

class Oracle {
 public:
  // From and until which moment somebody surely held it.
  struct Term {
    std::string who;
    core::Token token = 0;
    core::Time from{};
    core::Time until{};
  };

  void note(Term term) {
    const std::lock_guard lock(mutex_);
    terms_.push_back(std::move(term));
  }

  // After all that watch have gone.
  void judge() {
    const std::lock_guard lock(mutex_);
    std::ranges::sort(terms_, {}, &Term::from);
    for (std::size_t i = 1; i < terms_.size(); ++i) {
      const Term& before = terms_[i - 1];
      const Term& after = terms_[i];
      EXPECT_LT(before.until, after.from) << before.who << " and " << after.who << " held it together";
      EXPECT_LT(before.token, after.token) << before.who << " had the larger token before " << after.who;
    }
  }

 private:
  std::mutex mutex_;
  std::vector<Term> terms_;
};

// Watches one lease, of the runtime or of the API, which must outlive it, and tells the oracle.
class Watch {
 public:
  template <class Lease>
  Watch(Oracle& oracle, std::string who, const Lease& lease)
      : thread_([&oracle, who = std::move(who), &lease](const std::stop_token& stop) {
          Oracle::Term term{who, lease.token()};
          bool ever = false;
          bool over = false;
          while (!stop.stop_requested()) {
            const core::Time before = runtime::boot_now();
            if (lease.held()) {
              EXPECT_FALSE(over) << who << " holds again what it did not hold any more";  // S6
              if (!std::exchange(ever, true)) term.from = runtime::boot_now();
              term.until = std::max(term.from, before);
            } else {
              over = true;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
          if (ever) oracle.note(std::move(term));
        }) {}

 private:
  std::jthread thread_;
};

}  // namespace tenure::test
