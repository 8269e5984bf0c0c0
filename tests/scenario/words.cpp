#include "words.hpp"

#include <array>
#include <cstdio>

#include "core/base/overload.hpp"
#include "core/base/text.hpp"
#include "redis/grant_text.hpp"

namespace tenure::scenario {

using namespace core;

namespace {

template <class Key>
std::string name_of(const std::map<Key, std::string>& names, const Key& key) {
  const auto found = names.find(key);
  return found != names.end() ? found->second : "?";
}

// A name is usually acquired by a grant of the same name; where not, the grant is told too.
std::string key_as(const std::string& key, const std::string& grant) {
  return key == grant ? key : key + " as " + grant;
}

std::string holdings_in_words(const std::vector<Holding>& items, const Cast& cast) {
  std::string text;
  for (const auto& item : items) {
    text += (text.empty() ? "" : ",") + key_as(item.key, name_of(cast.grants, redis::stamp(item.grant)));
  }
  return text;
}

std::string release_in_words(const ReleaseRequest& it, const Cast& cast) {
  // Who has nothing to give back but its place asks by the ticket, or by a grant that it has not asked for yet.
  const bool unused = it.ticket && !cast.grants.contains(redis::stamp(it.grant));
  if (unused || it.ticket == it.grant) return "leave the queue of " + it.key;
  return "release " + key_as(it.key, name_of(cast.grants, redis::stamp(it.grant))) +
         (it.ticket ? " and leave its queue" : "") + (it.wake ? "" : " quietly");
}

std::string request_in_words(const Request& request, const Cast& cast) {
  return std::visit(Overload{
                        [&](const AcquireRequest& it) {
                          return "acquire " + key_as(it.key, name_of(cast.grants, redis::stamp(it.grant))) +
                                 (it.ticket ? " or queue" : "");
                        },
                        [&](const ConfirmRequest& it) {
                          return "confirm " + key_as(it.key, name_of(cast.grants, redis::stamp(it.grant))) +
                                 " token=" + std::to_string(it.token);
                        },
                        [&](const RenewRequest& it) { return "renew " + holdings_in_words(it.items, cast); },
                        [&](const ReassertRequest& it) {
                          return (it.heal ? "heal " : "reassert ") + holdings_in_words(it.items, cast);
                        },
                        [&](const ReleaseRequest& it) { return release_in_words(it, cast); },
                        [&](const OpenRequest& it) { return "open " + it.epoch; },
                        [&](const ClockRequest&) { return std::string("clock"); },
                        [&](const LookRequest& it) {
                          std::string text = "look at";
                          for (const auto& key : it.keys) text += " " + key;
                          return text;
                        },
                        [&](const BeatRequest& it) { return "beat " + it.id; },
                        [&](const ListsRequest& it) { return "lists of " + std::to_string(it.ids.size()); },
                    },
                    request);
}

std::string number(RequestId id, const Cast& cast) {
  const auto found = cast.requests.find(id);
  return found != cast.requests.end() ? std::to_string(found->second) : "?";
}

std::string failure_in_words(const Failure& failure) {
  static constexpr std::array words{"unreachable", "timed_out",     "closed",   "tls",
                                    "auth",        "no_permission", "starting", "read_only",
                                    "not_durable", "full",          "busy",     "unsupported",
                                    "not_set_up",  "clock",         "protocol", "server"};
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
  return (held.holder.waits ? "kept for " : "held by ") + held.holder.owner +
         (held.left ? " for " + to_text(*held.left) : " for ever");
}

std::string refusal_in_words(const Refusal& refusal) {
  static constexpr std::array words{"held", "no_quorum", "not_open", "too_slow", "waited", "cancelled"};
  std::string text = words.at(static_cast<std::size_t>(refusal.code));
  if (refusal.held) {
    const std::string held = held_in_words(*refusal.held);
    text = refusal.code == RefusalCode::held ? held : text + ", " + held;
  }
  if (refusal.code == RefusalCode::not_open) text += " \"" + refusal.record.text + "\"";
  return text + failures_in_words(refusal.failures);
}

std::string loss_in_words(LossReason reason) {
  static constexpr std::array words{"not_renewed", "missing",      "taken",  "over",
                                    "closed",      "stepped_down", "stopped"};
  return words.at(static_cast<std::size_t>(reason));
}

std::string holder_in_words(const std::optional<Holder>& holder) {
  return holder ? holder->owner + " term=" + std::to_string(holder->token) : "nobody";
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

std::string in_words(const Drop& drop, const Cast& cast) { return "drop #" + number(drop.id, cast); }

std::string in_words(const Notice& notice, const Cast& cast) {
  const auto lease = [&](LeaseId id) { return name_of(cast.leases, id); };
  const auto acquire = [&](AcquireId id) { return name_of(cast.acquires, id); };
  const auto election = [&](ElectionId id) { return name_of(cast.elections, id); };
  const Overload words{
      [&](const ClockJumped& it) {
        return "clock of " + std::to_string(it.node) + " jumped by " + to_text(it.by) + ", distrusted for " +
               to_text(it.distrusted_for);
      },
      [&](const Acquired& it) {
        return "acquired " + acquire(it.acquire) + " token=" + std::to_string(it.token) +
               " deadline=" + time_in_words(it.deadline);
      },
      [&](const Refused& it) {
        return "refused " + acquire(it.acquire) + " " + refusal_in_words(it.refusal);
      },
      [&](const Waiting& it) {
        return "waiting " + acquire(it.acquire) + " " + refusal_in_words(it.refusal);
      },
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
        return "released " + lease(it.lease) + outcome_in_words(it.outcome) + failures_in_words(it.failures);
      },
      [&](const Elected& it) {
        return "elected " + election(it.election) + " term=" + std::to_string(it.term.token) +
               " deadline=" + time_in_words(it.term.deadline);
      },
      [&](const TermEnding& it) {
        return "ending " + election(it.election) + " " + loss_in_words(it.reason) +
               " deadline=" + time_in_words(it.deadline);
      },
      [&](const TermOverran& it) { return "overran " + election(it.election); },
      [&](const TermOver& it) { return "over " + election(it.election); },
      [&](const LeaderChanged& it) {
        return "leader of " + election(it.election) + " is " + holder_in_words(it.now) + ", was " +
               holder_in_words(it.before);
      },
      [&](const CampaignHindered& it) {
        return "hindered " + election(it.election) + " " + refusal_in_words(it.refusal);
      },
      [&](const ElectionStopped& it) { return "stopped " + election(it.election); },
  };
  return std::visit(Overload{
                        [&](const ClockJumped& it) { return words(it); },
                        // Stories are of locks and elections.
                        [&](const FleetNotice&) { return std::string("of a fleet"); },
                        [&](const auto& audience) { return std::visit(words, audience); },
                    },
                    notice);
}

std::string in_words(const std::vector<Send>& sends, const Cast& cast) {
  std::string ids;
  std::string nodes;
  for (const Send& it : sends) {
    ids += (ids.empty() ? "#" : ",") + number(it.id, cast);
    nodes += (nodes.empty() ? "" : ",") + std::to_string(it.node);
  }
  return "send " + ids + " " + request_in_words(sends.front().request, cast) + " -> " + nodes;
}

bool told_together(const Send& one, const Send& other, const Cast& cast) {
  return request_in_words(one.request, cast) == request_in_words(other.request, cast);
}

}  // namespace tenure::scenario
