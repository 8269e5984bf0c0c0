#include "kubernetes/net/orders.hpp"

#include <algorithm>

#include "core/base/overload.hpp"

namespace tenure::kubernetes {

namespace {

using Orders = std::vector<std::pair<std::string, Order>>;

const core::Failure* failure_in(const std::optional<Outcome>& outcome) {
  return std::get_if<core::Failure>(&*outcome);
}

core::Reply key_answers(const std::vector<std::optional<Outcome>>& outcomes) {
  const auto failed = [](const auto& it) { return failure_in(it) != nullptr; };
  // Where some have failed and some not, those that have count as not asked, and are tried again.
  if (std::ranges::all_of(outcomes, failed)) return *failure_in(outcomes.front());
  core::KeyAnswers answers;
  for (const auto& it : outcomes) {
    const auto* answer = std::get_if<core::KeyAnswer>(&*it);
    answers.push_back(answer != nullptr ? *answer : core::KeyAnswer::locked);
  }
  return answers;
}

core::Reply key_states(std::vector<std::optional<Outcome>> outcomes) {
  core::KeyStates states;
  for (auto& it : outcomes) {
    if (const auto* failure = failure_in(it)) return *failure;
    states.push_back(std::get<core::KeyState>(std::move(*it)));
  }
  return states;
}

core::Reply acquired(Outcome outcome) {
  return std::visit(core::Overload{[](core::Granted it) { return core::Reply(it); },
                                   [](core::Held& it) { return core::Reply(std::move(it)); },
                                   [](core::Failure& it) { return core::Reply(std::move(it)); },
                                   [](auto&) { return core::Reply(core::misfit); }},
                    outcome);
}

}  // namespace

Orders orders_of(const core::Request& request) {
  Orders orders;
  const auto add = [&](const std::string& key, Order order) { orders.emplace_back(key, std::move(order)); };
  std::visit(core::Overload{[&](const core::AcquireRequest& it) { add(it.key, Take{it.grant, it.ttl}); },
                            [&](const core::ConfirmRequest& it) { add(it.key, Confirm{it.grant, it.token}); },
                            [&](const core::RenewRequest& it) {
                              for (const auto& item : it.items)
                                add(item.key, Renew{item.grant, item.token, it.ttl});
                            },
                            [&](const core::ReassertRequest& it) {
                              for (const auto& item : it.items)
                                add(item.key, PutBack{item.grant, item.token, it.ttl, it.heal});
                            },
                            [&](const core::ReleaseRequest& it) { add(it.key, GiveBack{it.grant}); },
                            [&](const core::LookRequest& it) {
                              for (const auto& key : it.keys) add(key, Look{});
                            },
                            [](const core::OpenRequest&) {}, [](const core::ClockRequest&) {},
                            [](const core::BeatRequest&) {}, [](const core::ListsRequest&) {}},
             request);
  return orders;
}

core::Reply reply_of(const core::Request& request, std::vector<std::optional<Outcome>> outcomes) {
  if (std::holds_alternative<core::LookRequest>(request)) return key_states(std::move(outcomes));
  if (std::holds_alternative<core::AcquireRequest>(request)) return acquired(std::move(*outcomes.front()));
  return outcomes.empty() ? core::Reply(core::KeyAnswers{}) : key_answers(outcomes);
}

}  // namespace tenure::kubernetes
