// A keeper with all that it works with; for its tests.
#pragma once

#include <gtest/gtest.h>

#include "core/lease/keeper.hpp"
#include "unit/core/machine.hpp"

namespace tenure::core {

struct Keeping : testing::Test {
  std::size_t nodes = 1;
  Keeper keeper{"us", 1};
  Desk desk;
  Timing timing = timing_of();  // renewed within 3.333 s, lost at 7.331 s, over at 8.998 s

  // Held by the first so many nodes; by all unless said.
  LeaseId keep(std::uint64_t number, Time sent, Time now, std::optional<NodeIndex> granted = std::nullopt) {
    Keeper::NewLease lease{LeaseId{number}, "key" + std::to_string(number), number, number, timing, sent, {}};
    for (NodeIndex node = 0; node < granted.value_or(static_cast<NodeIndex>(nodes)); ++node) {
      lease.nodes.push_back(node);
    }
    keeper.keep(std::move(lease), now, desk.random);
    return LeaseId{number};
  }
  LeaseId keep(std::uint64_t number, Time sent = at(0s)) { return keep(number, sent, sent); }
  // Held by all nodes but the last, which has not answered yet; gives that request.
  RequestId keep_without_last(std::uint64_t number) {
    const auto last = static_cast<NodeIndex>(nodes - 1);
    const RequestId id = desk.requests.add({Sender{}, last});
    Keeper::NewLease lease{
        LeaseId{number}, "key" + std::to_string(number), number, number, timing, at(0s), {}};
    for (NodeIndex node = 0; node < last; ++node) lease.nodes.push_back(node);
    lease.unanswered.push_back({last, id});
    keeper.keep(std::move(lease), at(0s), desk.random);
    return id;
  }

  void reply(RequestId id, const Reply& answer, Time now) {
    desk.requests.take(id);
    keeper.on_reply(id, answer, now, desk.random, desk.out);
  }
  void on_timer(Time now) { keeper.on_timer(now, desk.random, desk.out); }
  // Lets time pass to the next wake, and says what time it is then.
  Time wake() {
    const Time now = keeper.wake().value();
    on_timer(now);
    return now;
  }

  static const std::vector<Holding>& items(const Send& sent) {
    const auto* renew = std::get_if<RenewRequest>(&sent.request);
    return renew != nullptr ? renew->items : std::get<ReassertRequest>(sent.request).items;
  }
  static std::vector<std::string> keys(const Send& sent) {
    std::vector<std::string> found;
    for (const auto& item : items(sent)) found.push_back(item.key);
    return found;
  }
  static KeyAnswers all(KeyAnswer answer, const Send& sent) { return KeyAnswers(items(sent).size(), answer); }
  static KeyAnswers all_done(const Send& sent) { return all(KeyAnswer::done, sent); }
  static bool renews(const Send& sent) { return std::holds_alternative<RenewRequest>(sent.request); }
  static bool heals(const Send& sent) {
    const auto* reassert = std::get_if<ReassertRequest>(&sent.request);
    return reassert != nullptr && reassert->heal;
  }
  static bool puts_back(const Send& sent) {
    const auto* reassert = std::get_if<ReassertRequest>(&sent.request);
    return reassert != nullptr && !reassert->heal;
  }

  // All told so far of one kind; the rest is kept.
  template <class Kind>
  std::vector<Kind> look() {
    const Actions kept = desk.actions;
    auto found = desk.take<Kind>();
    desk.actions = kept;
    return found;
  }
};

struct KeepingOnThree : Keeping {
  KeepingOnThree() {
    nodes = 3;
    keeper = Keeper("us", 3);
  }
};

}  // namespace tenure::core
