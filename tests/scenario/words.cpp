#include "words.hpp"

#include <array>
#include <cstdio>

#include "core/text.hpp"

namespace tenure::scenario {

using namespace core;

namespace {

template <class... Case>
struct Cases : Case... {
  using Case::operator()...;
};
template <class... Case>  // clang 16 does not deduce it by itself
Cases(Case...) -> Cases<Case...>;

template <class Key>
std::string name_of(const std::map<Key, std::string>& names, const Key& key) {
  const auto found = names.find(key);
  return found != names.end() ? found->second : "?";
}

// A name is usually acquired by a grant of the same name; where not, the grant is told too.
std::string key_as(const std::string& key, const std::string& grant) {
  return key == grant ? key : key + " as " + grant;
}

std::string request_in_words(const Request& request, const Cast& cast) {
  return std::visit(Cases{
                        [&](const AcquireRequest& it) {
                          return "acquire " + key_as(it.key, name_of(cast.grants, it.grant.stamp()));
                        },
                        [&](const RenewRequest& it) {
                          std::string text;
                          for (const auto& item : it.items) {
                            text += (text.empty() ? "renew " : ",") +
                                    key_as(item.key, name_of(cast.values, item.value));
                          }
                          return text;
                        },
                        [&](const ReleaseRequest& it) {
                          return "release " + key_as(it.key, name_of(cast.grants, it.grant.stamp()));
                        },
                    },
                    request);
}

std::string number(RequestId id) { return "#" + std::to_string(static_cast<std::uint64_t>(id)); }

std::string failure_in_words(const Failure& failure) {
  static constexpr std::array words{"unreachable", "timed_out", "closed",  "auth",          "no_permission",
                                    "loading",     "read_only", "misconf", "out_of_memory", "busy_script",
                                    "cluster",     "protocol",  "server"};
  return words.at(static_cast<std::size_t>(failure.code));
}

std::string failures_in_words(const std::vector<NodeFailure>& failures) {
  std::string text;
  for (const auto& it : failures) {
    text += ", node " + std::to_string(it.node) + " " + failure_in_words(it.failure);
  }
  return text;
}

std::string held_in_words(const Held& held) {
  return "held by " + held.holder.owner +
         (held.left < Ttl::zero() ? " for ever" : " for " + shown(held.left));
}

std::string refusal_in_words(const Refusal& refusal) {
  static constexpr std::array words{"held", "no_quorum", "not_open", "too_slow", "waited", "cancelled"};
  std::string text = words.at(static_cast<std::size_t>(refusal.code));
  if (refusal.held) {
    const std::string held = held_in_words(*refusal.held);
    text = refusal.code == RefusalCode::held ? held : text + ", " + held;
  }
  if (refusal.code == RefusalCode::not_open) text += " \"" + refusal.record + "\"";
  return text + failures_in_words(refusal.failures);
}

std::string loss_in_words(LossReason reason) {
  static constexpr std::array words{"not_renewed", "missing", "taken"};
  return words.at(static_cast<std::size_t>(reason));
}

std::string outcome_in_words(ReleaseOutcome outcome) {
  static constexpr std::array words{"", " expired", " taken", " failed"};
  return words.at(static_cast<std::size_t>(outcome));
}

}  // namespace

std::string time_in_words(Time time) {
  const auto whole = std::chrono::round<std::chrono::milliseconds>(time.time_since_epoch());
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "+%.3f", static_cast<double>(whole.count()) / 1000);
  std::string shortest = text.data();
  shortest.erase(shortest.find_last_not_of('0') + 1);
  if (shortest.ends_with('.')) shortest.pop_back();
  return shortest + "s";
}

std::string in_words(const Action& action, const Cast& cast) {
  const auto lease = [&](LeaseId id) { return name_of(cast.leases, id); };
  const auto acquire = [&](AcquireId id) { return name_of(cast.acquires, id); };
  return std::visit(
      Cases{
          [&](const Send& it) {
            return "send " + number(it.id) + " " + request_in_words(it.request, cast) + " -> " +
                   std::to_string(it.node);
          },
          [&](const Drop& it) { return "drop " + number(it.id); },
          [&](const Acquired& it) {
            return "acquired " + acquire(it.acquire) + " token=" + std::to_string(it.token) +
                   " deadline=" + time_in_words(it.deadline);
          },
          [&](const Refused& it) {
            return "refused " + acquire(it.acquire) + " " + refusal_in_words(it.refusal);
          },
          [&](const Waiting& it) { return "waiting " + acquire(it.acquire) + " " + held_in_words(it.held); },
          [&](const Renewed& it) {
            return "renewed " + lease(it.lease) + " deadline=" + time_in_words(it.deadline);
          },
          [&](const Uncertain& it) {
            return "uncertain " + lease(it.lease) + " " + failure_in_words(it.failure);
          },
          [&](const Lost& it) {
            return "lost " + lease(it.lease) + " " + loss_in_words(it.reason) +
                   " deadline=" + time_in_words(it.deadline);
          },
          [&](const Released& it) {
            return "released " + lease(it.lease) + outcome_in_words(it.outcome) +
                   failures_in_words(it.failures);
          },
      },
      action);
}

}  // namespace tenure::scenario
