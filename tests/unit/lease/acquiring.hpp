// One acquisition with all that it looks at; for its tests.
#pragma once

#include <gtest/gtest.h>

#include "core/lease/acquisition.hpp"
#include "unit/core/machine.hpp"

namespace tenure::core {

inline const Held by_web_3{{"web-3", 5}, 20s};

inline const FoundRecord quarantined = in_quarantine("e1");

struct Acquiring : testing::Test {
  Desk desk;
  Timing timing = timing_of();  // a node has 1 s; too late from 7.331 s on
  std::string owner = "us";
  Subscriptions subscribed{1};
  ClockWatch clocks{1, 60s};
  Proposer proposer{clocks};
  Terms terms{60s};
  bool reached = false;

  void nodes(std::size_t count) {
    subscribed = Subscriptions(count);
    clocks = ClockWatch(count, 60s);
  }
  void listen() {
    for (NodeIndex node = 0; node < subscribed.nodes().size(); ++node) subscribed.set(node, true);
  }
  Acquisition acquisition(std::optional<Duration> wait_max = Duration::zero(), bool asks_again = false) {
    return {{AcquireId{1}, owner, subscribed, clocks, proposer, terms, reached},
            {.key = "key", .timing = timing, .wait_max = wait_max, .asks_again = asks_again},
            desk.random};
  }

  std::optional<Acquisition::End> reply(Acquisition& it, const Reply& reply, Time now, NodeIndex node = 0) {
    return it.on_reply(node, reply, now, desk.random, desk.out);
  }
  std::optional<Acquisition::End> on_timer(Acquisition& it, Time now) {
    return it.on_timer(now, desk.random, desk.out);
  }
  // The grant that the next rounds ask by, as the requests since the last look show it.
  Grant asked_by() { return std::get<AcquireRequest>(desk.take<Send>().at(0).request).grant; }

  // Waits and stands in the queues of all nodes, before so many others; the answers came at that time.
  Acquisition queued(Held held = by_web_3, Time now = at(0s), int place = 0) {
    listen();
    Acquisition it = acquisition(std::nullopt);
    it.start(now, desk.out);
    answer_all(it, held, now);
    on_timer(it, now);
    held.ahead = place;
    answer_all(it, held, now);
    it.take_discarded();
    desk.actions.clear();
    return it;
  }
  // A majority says the same; the round is over then.
  void answer_all(Acquisition& it, const Reply& answer, Time now) {
    for (NodeIndex node = 0; node <= subscribed.nodes().size() / 2; ++node)
      EXPECT_FALSE(reply(it, answer, now, node));
  }
};

}  // namespace tenure::core
