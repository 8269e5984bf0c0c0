#include "sim/judge.hpp"

#include <algorithm>

namespace tenure::sim {

void Judge::violated(std::string_view invariant, TrueTime at, std::string what) {
  if (!assumptions_hold_ && (invariant == "S1" || invariant == "S4")) return;
  if (!violation_) violation_ = {std::string(invariant), std::move(what), at};
}

void Judge::on_grant(const std::string& key, const std::string& value, core::Token token, TrueTime now) {
  grants_ += 1;
  if (token <= last_token_) {
    violated("S3", now, value + " was given after token " + std::to_string(last_token_));
  }
  last_token_ = token;
  history_[key].grants.push_back({value, now});
}

void Judge::on_belief(const std::string& key, const std::string& value, TrueTime now, TrueTime until) {
  History& history = history_[key];
  const auto index = find(history, value);
  if (!index) {
    violated("S1", now, value + " is believed held, but no node ever gave it");
    return;
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

std::optional<std::size_t> Judge::find(const History& history, const std::string& value) {
  // The latest first: it is nearly always that one.
  for (std::size_t i = history.grants.size(); i-- > 0;) {
    if (history.grants[i].value == value) return i;
  }
  return std::nullopt;
}

}  // namespace tenure::sim
