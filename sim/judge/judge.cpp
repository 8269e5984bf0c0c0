#include "sim/judge/judge.hpp"
#include "redis/grant_text.hpp"

#include <algorithm>

namespace tenure::sim {

void Judge::violated(std::string_view invariant, TrueTime at, std::string what) {
  const bool assumes = invariant == "S1" || invariant == "S4" || invariant == "S8" || invariant == "S12";
  if (assumes && !assumptions_hold_) return;
  if (invariant == "S3" && !order_holds_) return;
  if ((invariant == "S2" || invariant == "S3") && !tokens_hold_) return;
  if (!violation_) violation_ = {std::string(invariant), std::move(what), at};
}

void Judge::on_node_grant(std::size_t node, const std::string& key, const std::string& stamp,
                          core::Token token, TrueTime now) {
  history_[key].showed[{token, redis::read_holder(stamp + "0").owner}].insert(node);
  if (quorum_ == 1) {
    on_grant(key, stamp + std::to_string(token), token, now);
  } else {
    history_[key].gave[stamp].insert(node);
    history_[key].stands[stamp + std::to_string(token)].emplace(node, now);
  }
}

void Judge::on_node_confirm(std::size_t node, const std::string& key, const std::string& value,
                            TrueTime now) {
  const core::Holder holder = redis::read_holder(value);
  history_[key].showed[{holder.token, holder.owner}].insert(node);
  history_[key].stands[value].emplace(node, now);
}

bool Judge::was_shown(const std::string& key, const core::Holder& holder) const {
  const auto history = history_.find(key);
  if (history == history_.end()) return false;
  const auto nodes = history->second.showed.find({holder.token, holder.owner});
  return nodes != history->second.showed.end() && nodes->second.size() >= quorum_;
}

void Judge::on_grant(const std::string& key, const std::string& value, core::Token token, TrueTime now) {
  History& history = history_[key];
  grants_ += 1;
  if (token <= history.last_token) {
    violated("S3", now, value + " was given after token " + std::to_string(history.last_token));
  }
  history.last_token = token;
  history.grants.push_back({value, token, now});
}

void Judge::on_acquired(const std::string& key, const std::string& value, TrueTime began, TrueTime now) {
  History& history = history_[key];
  const auto index = find(history, value);
  if (!index) return;  // told as S1
  history.grants[*index].asked_at = began;
  history.grants[*index].acquired_at = now;
}

std::optional<TrueTime> Judge::stands_since(const History& history, const std::string& value,
                                            std::size_t quorum) {
  const auto found = history.stands.find(value);
  if (found == history.stands.end() || found->second.size() < quorum) return std::nullopt;
  std::vector<TrueTime> times;
  for (const auto& [node, at] : found->second) times.push_back(at);
  std::ranges::sort(times);
  return times[quorum - 1];
}

void Judge::on_belief(const std::string& key, const std::string& value, std::size_t quorum, TrueTime now,
                      TrueTime until) {
  History& history = history_[key];
  auto index = find(history, value);
  if (!index) {
    const auto gave = history.gave.find(value.substr(0, value.rfind('#') + 1));
    if (gave == history.gave.end() || gave->second.size() < quorum) {
      violated("S1", now, value + " is believed held, but no majority ever gave it");
      return;
    }
    // With several nodes it is given when its token stands on a majority.
    const auto since = quorum_ > 1 ? stands_since(history, value, quorum) : now;
    if (!since) violated("S3", now, value + " is believed held, but its token never stood on a majority");
    on_grant(key, value, redis::read_holder(value).token, since.value_or(now));
    index = find(history, value);
  }
  std::erase_if(history.believed,
                [&](std::size_t i) { return i == *index || *history.grants[i].believed_until <= now; });
  if (!history.believed.empty()) {
    violated("S1", now,
             value + " and " + history.grants[history.believed[0]].value + " are believed held at once");
  }
  history.believed.push_back(*index);
  auto& believed_until = history.grants[*index].believed_until;
  believed_until = std::max(believed_until.value_or(until), until);
}

void Judge::on_disbelief(const std::string& key, const std::string& value, TrueTime now) {
  History& history = history_[key];
  const auto index = find(history, value);
  if (!index) return;
  Given& given = history.grants[*index];
  if (!given.believed_until || *given.believed_until <= now) return;
  given.believed_until = now;
  given.given_up = true;
}

bool Judge::on_write(const std::string& key, const std::string& value, core::Token token, bool still_held,
                     TrueTime now) {
  Register& last = registers_[key];
  if (token < last.token) {
    if (still_held && assumptions_hold_)
      violated("S2", now, value + " is held, and its write was refused after " + last.value);
    return false;
  }
  if (token == last.token && value != last.value) {
    violated("S2", now, "one token for two grants: " + value + " and " + last.value);
  }
  last = {token, value};
  return true;
}

void Judge::compare_beliefs_with_grants() {
  for (const auto& [key, history] : history_) {
    linearize(history);
    const Given* last = nullptr;  // whose belief ends last of those so far
    for (const Given& given : history.grants) {
      if (last != nullptr) {
        const Duration slack = given.at - *last->believed_until;
        if (slack < Duration::zero())
          violated("S4", given.at, given.value + " was given while " + last->value + " was believed held");
        // After a release the next grant follows at once; what is telling is a lease that ran out.
        if (!last->given_up) slack_.add(slack);
      }
      if (given.believed_until && (last == nullptr || *given.believed_until > *last->believed_until))
        last = &given;
    }
  }
}

// A fenced mutex gives its tokens in their order, and each at a moment between the call and the answer, when
// nobody else has it. If that can be done at all, it can be done as early as possible.
void Judge::linearize(const History& history) {
  std::vector<const Given*> seen;
  for (const Given& given : history.grants) {
    if (given.acquired_at) seen.push_back(&given);
  }
  std::ranges::sort(seen, {}, &Given::token);
  const Given* last = nullptr;
  TrueTime free{};
  for (const Given* given : seen) {
    const TrueTime taken = std::max(*given->asked_at, free);
    if (taken > *given->acquired_at) {
      violated("S12", *given->acquired_at, given->value + " cannot have come after " + last->value);
    }
    last = given;
    free = std::max(taken, given->believed_until.value_or(taken));
  }
}

std::optional<std::size_t> Judge::find(const History& history, const std::string& value) {
  // The latest first: it is nearly always that one.
  for (std::size_t i = history.grants.size(); i-- > 0;) {
    if (history.grants[i].value == value) return i;
  }
  return std::nullopt;
}

}  // namespace tenure::sim
