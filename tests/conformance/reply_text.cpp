#include "reply_text.hpp"

#include <string_view>

#include "core/base/overload.hpp"
#include "core/base/text.hpp"

namespace tenure::conformance {

namespace {

std::string ms(core::Ttl ttl) { return std::to_string(ttl.count()) + " ms"; }

template <class Optional>
std::string ms_or_none(const Optional& ttl) {
  return ttl ? ms(*ttl) : "no expiry";
}

std::string number(std::uint64_t value) { return std::to_string(value); }

std::string ticket_text(const std::optional<core::Grant>& ticket) {
  return ticket ? ", ticket " + to_text(*ticket) : "";
}

std::string text_of(const std::vector<core::Holding>& items) {
  std::string text;
  for (const core::Holding& it : items)
    text += " [" + it.key + " " + to_text(it.grant) + " " + number(it.token) + "]";
  return text;
}

std::string text_of(const core::Holder& holder) {
  return holder.owner + (holder.waits ? " (waits)" : "") + " by " + number(holder.token);
}

std::string_view word_for(core::KeyAnswer answer) {
  switch (answer) {
    case core::KeyAnswer::done:
      return "done";
    case core::KeyAnswer::missing:
      return "missing";
    case core::KeyAnswer::locked:
      return "locked";
    case core::KeyAnswer::foreign:
      break;
  }
  return "foreign";
}

std::string text_of(const core::KeyState& state) {
  if (!state.holder) return "nothing, " + std::to_string(state.waiters) + " wait";
  // A name that is kept is nobody's: whether its ticket is told is all the same to the core.
  const bool granted = state.grant && !state.holder->waits;
  return text_of(*state.holder) + (granted ? " " + to_text(*state.grant) : "") + ", " +
         ms_or_none(state.left) + ", " + std::to_string(state.waiters) + " wait";
}

std::string text_of(const core::LiveMembers& live) {
  std::string text = "version " + number(live.version);
  for (const core::Member& it : live.members) {
    text += " [" + it.id + " weight " + number(it.weight) + " owned " + number(it.owned) + " left " +
            ms(it.left) + " digest " + (it.digest ? number(*it.digest) : "none") + "]";
  }
  return text;
}

std::string text_of(const core::Lists& lists) {
  std::string text = "lists";
  for (const auto& list : lists) {
    text += " [";
    if (!list) text += "none";
    if (list)
      for (const core::SessionHash hash : *list) text += " " + number(hash);
    text += "]";
  }
  return text;
}

}  // namespace

std::string to_text(const core::Grant& grant) {
  return std::string(grant.owner()) + "#" + core::hex16(grant.nonce());
}

std::string to_text(const core::FoundRecord& record) {
  if (!record.read) return "\"" + record.text + "\"";
  const core::Record& it = *record.read;
  return std::to_string(it.terms.cap.count()) + " " + it.terms.set + " " + it.epoch +
         (it.open ? " open " : " quarantined ") + std::to_string(it.made_ms) + " " +
         std::to_string(it.wall_ms) + " " + std::to_string(it.longest.count()) + " " + it.why;
}

std::string to_text(const core::Request& request) {
  const std::string kind = kind_of(request) + " ";
  return kind +
         std::visit(
             core::Overload{
                 [](const core::AcquireRequest& it) {
                   return it.key + " " + to_text(it.grant) + " " + ms(it.ttl) + ticket_text(it.ticket) +
                          (it.proposal != 0 ? ", proposes " + number(it.proposal) : "");
                 },
                 [](const core::ConfirmRequest& it) {
                   return it.key + " " + to_text(it.grant) + " " + number(it.token);
                 },
                 [](const core::RenewRequest& it) { return ms(it.ttl) + text_of(it.items); },
                 [](const core::ReassertRequest& it) {
                   return ms(it.ttl) + (it.heal ? " heals" : "") + text_of(it.items);
                 },
                 [](const core::ReleaseRequest& it) {
                   return it.key + " " + to_text(it.grant) + ticket_text(it.ticket) +
                          (it.wake ? "" : ", wakes nobody");
                 },
                 [](const core::OpenRequest& it) { return it.epoch + " made " + std::to_string(it.made_ms); },
                 [](const core::ClockRequest&) { return std::string(); },
                 [](const core::LookRequest& it) {
                   std::string text;
                   for (const auto& key : it.keys) text += key + " ";
                   return text;
                 },
                 [](const core::BeatRequest& it) {
                   return it.fleet + it.id + " boot " + it.beat.boot + " " + ms(it.ttl);
                 },
                 [](const core::ListsRequest& it) {
                   std::string text;
                   for (const auto& id : it.ids) text += id + " ";
                   return text;
                 },
             },
             request);
}

std::string to_text(const core::Reply& reply) {
  return std::visit(
      core::Overload{
          [](const core::Granted& it) { return "granted " + number(it.token); },
          [](const core::Held& it) {
            return "held by " + text_of(it.holder) + ", " + ms_or_none(it.left) + ", ahead " +
                   (it.ahead ? std::to_string(*it.ahead) : "none");
          },
          [](const core::NotOpen& it) { return "not open: " + to_text(it.record); },
          [](const core::Opened&) { return std::string("opened"); },
          [](const core::NodeClock& it) { return "clock " + std::to_string(it.unix_time.count()); },
          [](const core::KeyAnswers& it) {
            std::string text = "answers";
            for (const core::KeyAnswer answer : it) text += " " + std::string(word_for(answer));
            return text;
          },
          [](const core::KeyStates& it) {
            std::string text = "shows";
            for (const core::KeyState& state : it) text += " [" + text_of(state) + "]";
            return text;
          },
          [](const core::LiveMembers& it) { return text_of(it); },
          [](const core::Lists& it) { return text_of(it); },
          [](const core::IdTaken& it) { return "id taken, " + ms_or_none(it.left); },
          [](const core::Failure& it) { return "failure: " + it.detail; },
      },
      reply);
}

std::string kind_of(const core::Request& request) {
  return std::visit(core::Overload{
                        [](const core::AcquireRequest&) { return "acquire"; },
                        [](const core::ConfirmRequest&) { return "confirm"; },
                        [](const core::RenewRequest&) { return "renew"; },
                        [](const core::ReassertRequest&) { return "reassert"; },
                        [](const core::ReleaseRequest&) { return "release"; },
                        [](const core::OpenRequest&) { return "open"; },
                        [](const core::ClockRequest&) { return "clock"; },
                        [](const core::LookRequest&) { return "look"; },
                        [](const core::BeatRequest&) { return "beat"; },
                        [](const core::ListsRequest&) { return "lists"; },
                    },
                    request);
}

std::vector<std::string> outcomes_of(const core::Reply& reply) {
  std::vector<std::string> words;
  if (const auto* answers = std::get_if<core::KeyAnswers>(&reply)) {
    for (const core::KeyAnswer answer : *answers) words.emplace_back(word_for(answer));
  } else if (const auto* states = std::get_if<core::KeyStates>(&reply)) {
    for (const core::KeyState& state : *states) {
      words.emplace_back(!state.exists() ? "nothing" : state.holder->waits ? "kept" : "held");
      if (state.waiters > 0) words.emplace_back("waited for");
    }
  } else if (const auto* held = std::get_if<core::Held>(&reply)) {
    words.emplace_back(held->holder.waits ? "kept" : "held");
    if (held->ahead) words.emplace_back("queued");
  } else if (const auto* closed = std::get_if<core::NotOpen>(&reply)) {
    const auto& record = closed->record;
    words.emplace_back(record.read       ? (record.read->open ? "other record" : "quarantined")
                       : record.absent() ? "no record"
                                         : record.text);
  } else if (const auto* lists = std::get_if<core::Lists>(&reply)) {
    for (const auto& list : *lists) words.emplace_back(list ? "list" : "no list");
  } else {
    const std::string text = to_text(reply);
    words.push_back(text.substr(0, text.find_first_of(" ,:")));
  }
  return words;
}

}  // namespace tenure::conformance
