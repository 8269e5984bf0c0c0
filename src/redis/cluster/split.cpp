#include "redis/cluster/split.hpp"

#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/overload.hpp"
#include "redis/cluster/request_slot.hpp"

namespace tenure::redis {

namespace {

std::string_view key_of(const core::Holding& item) { return item.key; }
std::string_view key_of(const std::string& key) { return key; }

auto& items_of(core::RenewRequest& request) { return request.items; }
auto& items_of(core::ReassertRequest& request) { return request.items; }
auto& items_of(core::LookRequest& request) { return request.keys; }

template <class Batch>
std::vector<Portion> split_batch(Batch whole) {
  std::vector<Portion> portions;
  std::unordered_map<Slot, std::size_t> by_slot;  // looked up only
  auto items = std::exchange(items_of(whole), {});
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Slot slot = slot_of(key_of(items[i]));
    const auto [at, is_new] = by_slot.try_emplace(slot, portions.size());
    if (is_new) portions.push_back({slot, whole, {}});
    Portion& portion = portions[at->second];
    items_of(std::get<Batch>(portion.request)).push_back(std::move(items[i]));
    portion.places.push_back(i);
  }
  return portions;
}

const core::Failure no_fleet{core::Applied::no, core::FailureCode::unsupported,
                             "a fleet's heartbeats are not kept in a Redis Cluster"};

template <class Answers>
bool fits(const Answers* answers, const std::vector<std::size_t>& places) {
  return answers != nullptr && answers->size() == places.size();
}

std::vector<Portion> of_one(core::Request request) {
  std::vector<Portion> portions(1);
  portions.front().slot = slot_of(request);
  portions.front().request = std::move(request);
  return portions;
}

}  // namespace

std::vector<Portion> split(core::Request request) {
  return std::visit(core::Overload{
                        [](core::RenewRequest& it) { return split_batch(std::move(it)); },
                        [](core::ReassertRequest& it) { return split_batch(std::move(it)); },
                        [](core::LookRequest& it) { return split_batch(std::move(it)); },
                        [](core::AcquireRequest& it) { return of_one(std::move(it)); },
                        [](core::ConfirmRequest& it) { return of_one(std::move(it)); },
                        [](core::ReleaseRequest& it) { return of_one(std::move(it)); },
                        [](core::OpenRequest& it) { return of_one(std::move(it)); },
                        [](core::ClockRequest& it) { return of_one(it); },
                        [](core::BeatRequest&) { return std::vector<Portion>(); },
                        [](core::ListsRequest&) { return std::vector<Portion>(); },
                    },
                    request);
}

Merged::Merged(const core::Request& whole)
    : is_of_fleet_(std::holds_alternative<core::BeatRequest>(whole) ||
                   std::holds_alternative<core::ListsRequest>(whole)) {
  if (const auto* renew = std::get_if<core::RenewRequest>(&whole))
    answers_.assign(renew->items.size(), core::KeyAnswer::locked);
  if (const auto* reassert = std::get_if<core::ReassertRequest>(&whole))
    answers_.assign(reassert->items.size(), core::KeyAnswer::locked);
  if (const auto* look = std::get_if<core::LookRequest>(&whole)) {
    core::KeyState unanswered;
    unanswered.known = false;
    states_.assign(look->keys.size(), unanswered);
    looks_ = true;
  }
}

void Merged::add(const std::vector<std::size_t>& places, core::Reply reply) {
  if (auto* answers = std::get_if<core::KeyAnswers>(&reply); fits(answers, places) && !looks_) {
    answered_ = true;
    for (std::size_t i = 0; i < places.size(); ++i) answers_.at(places[i]) = answers->at(i);
  } else if (auto* states = std::get_if<core::KeyStates>(&reply); fits(states, places) && looks_) {
    answered_ = true;
    for (std::size_t i = 0; i < places.size(); ++i) states_.at(places[i]) = std::move(states->at(i));
  } else {
    const bool refuses =
        std::holds_alternative<core::Failure>(reply) || std::holds_alternative<core::NotOpen>(reply);
    if (!refuses) reply = core::misfit;
    if (!other_ || tells_more(reply)) other_ = std::move(reply);
  }
}

// Of all that did not answer what was asked, the one that may have been done tells.
bool Merged::tells_more(const core::Reply& reply) const {
  const auto* failure = std::get_if<core::Failure>(&reply);
  const auto* before = std::get_if<core::Failure>(&*other_);
  return failure != nullptr && before != nullptr && before->applied == core::Applied::no &&
         failure->applied == core::Applied::perhaps;
}

core::Reply Merged::reply() && {
  if (is_of_fleet_) return no_fleet;
  if (other_ && !answered_) return std::move(*other_);
  if (looks_) return std::move(states_);
  return std::move(answers_);
}

}  // namespace tenure::redis
