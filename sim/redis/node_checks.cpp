// What every script call of a simulated node is compared with: what the scripts promise.
#include <algorithm>

#include "redis/grant_text.hpp"
#include "sim/redis/node.hpp"

namespace tenure::sim {

namespace {

using Kind = ScriptArgs::Kind;

// Is it kept for a waiter, and if so by which ticket? Nobody holds it then.
std::optional<std::string> kept_for(const std::string& value) {
  if (!redis::read_holder(value).waits) return std::nullopt;
  return value.substr(0, value.rfind('#') + 1);
}

// What a counter that was not lost shows at least.
constexpr core::Token counter_min = 1'000'000'000'000'000;

}  // namespace

void Node::check(const Call& call) {
  switch (call.args.kind) {
    case Kind::acquire:
      return check_acquire(call);
    case Kind::confirm:
      return check_confirm(call);
    case Kind::renew:
      return check_renew(call);
    case Kind::reassert:
      return check_reassert(call);
    case Kind::release:
      return check_release(call);
    case Kind::look:
      return check_look(call);
    case Kind::beat:
      return check_beat(call);
    case Kind::admit:
    case Kind::open:
    case Kind::reconfigure:
      break;  // whether they open too early shows in S1, S4 and S7
  }
}

void Node::check_acquire(const Call& call) {
  const std::string& key = call.args.key(call.command, 0);
  const std::string& stamp = call.args.argument(call.command, 1);
  const Look& before = call.before[0];
  const Look after = look(key, call.wall);
  // What is kept for waiters who let their turns pass may go to the caller, who waits, too, or to the next.
  const bool waits = call.args.keys == 4;
  const bool kept = waits && kept_for(before.value).has_value();
  if (call.reply.kind != redis::Value::Kind::integer) {
    if (after != before && !(kept && kept_for(after.value)))
      judge_.violated("S5", call.now, stamp + " changed " + key + " without being granted it");
    if (call.reply.kind != redis::Value::Kind::array) return;  // the record
    const std::int64_t left = after.expiry_ms.value_or(call.wall.ms() - 1) - call.wall.ms();
    const auto& said = call.reply.items;
    if (said.size() != 3 || said[0].text != after.value ||
        (kept ? said[1].integer > left || said[1].integer < 0 : said[1].integer != left)) {
      judge_.violated("S9", call.now, key + ": who holds it, or for how long, is not true");
    }
    return;
  }
  const auto token = static_cast<core::Token>(call.reply.integer);
  const bool own = before.value.starts_with(stamp);
  if (!before.value.empty() && !own && !kept) {
    judge_.violated("S5", call.now, stamp + " was granted over " + before.value);
  }
  if (after.value != stamp + std::to_string(token)) {
    judge_.violated("S9", call.now, key + " does not show its grant");
  }
  if (after.expiry_ms != call.wall.ms() + number(call.args.argument(call.command, 2))) {
    judge_.violated("S9", call.now, key + " was granted with another expiry than asked for");
  }
  if (own) {
    if (before.value != after.value) judge_.violated("S3", call.now, "a repeated grant changed its token");
    return;
  }
  const auto& server = model_.server();
  if (call.record.find(" open " + server.run_id + "-" + server.replid + " ") == std::string::npos) {
    judge_.violated("S7", call.now, after.value + " was given under the record \"" + call.record + "\"");
  }
  // Whatever its record says, and whatever its clock does: a lease that it forgot may last for the cap.
  if (forgot_at_ && call.now < *forgot_at_ + Duration(keyspace_.cap)) {
    judge_.violated("S7", call.now,
                    after.value + " was given before the leases from before a restart were over");
  }
  // A counter that was deleted says nothing; one that is behind what the caller knows is older data.
  const auto seen = static_cast<core::Token>(number(call.command.back()));
  if (call.fence >= counter_min && call.fence < seen) {
    judge_.violated("S15", call.now,
                    after.value + " was given by a node whose counter, at " + std::to_string(call.fence) +
                        ", is behind what its caller knows, " + std::to_string(seen));
  }
  if (token <= last_token_) {
    judge_.violated("S3", call.now,
                    after.value + " was given by a node after token " + std::to_string(last_token_));
  }
  last_token_ = token;
  judge_.on_node_grant(index_, key, stamp, token, call.now);
}

void Node::check_confirm(const Call& call) {
  const std::string& key = call.args.key(call.command, 0);
  const std::string& stamp = call.args.argument(call.command, 0);
  const std::string& token = call.args.argument(call.command, 1);
  const Look& before = call.before[0];
  const bool own = before.value.starts_with(stamp);
  answers(call, 0, own ? 1 : before.value.empty() ? 0 : -1);
  expect(call, key, own ? Look{stamp + token, before.expiry_ms} : before, stamp + " confirmed");
  if (own) judge_.on_node_confirm(index_, key, stamp + token, call.now);
}

void Node::check_renew(const Call& call) {
  if (call.reply.kind != redis::Value::Kind::array) {  // the record: nothing may have changed
    for (std::size_t i = 0; i + 1 < call.args.keys; ++i) {
      expect(call, call.args.key(call.command, i + 1), call.before[i], "a refused renewal");
    }
    return;
  }
  for (std::size_t i = 0; i + 1 < call.args.keys; ++i) {
    const std::string& claim = call.args.argument(call.command, i + 2);
    const Look& before = call.before[i];
    const bool own = before.value == claim;
    answers(call, i, own ? 1 : before.value.empty() ? 0 : -1);
    Look wanted = before;
    if (own) wanted.expiry_ms = call.wall.ms() + number(call.args.argument(call.command, 1));
    expect(call, call.args.key(call.command, i + 1), wanted, claim + " renewed");
  }
}

void Node::check_reassert(const Call& call) {
  if (call.reply.kind != redis::Value::Kind::array) {  // the record: nothing may have changed
    for (std::size_t i = 0; i + 2 < call.args.keys; ++i) {
      expect(call, call.args.key(call.command, i + 2), call.before[i], "a refused reassert");
    }
    return;
  }
  const bool quarantined = call.record.find(" quarantined ") != std::string::npos;
  const bool heal = call.args.argument(call.command, 2) == "1";
  for (std::size_t i = 0; i + 2 < call.args.keys; ++i) {
    const std::string& stamp = call.args.argument(call.command, 3 + 2 * i);
    const std::string& token = call.args.argument(call.command, 4 + 2 * i);
    const Look& before = call.before[i];
    const core::Holder there = redis::read_holder(before.value);
    const bool older = quarantined && there.token <= static_cast<core::Token>(number(token));
    const bool installs =
        before.value.empty() ? quarantined || heal : before.value.starts_with(stamp) || older;
    answers(call, i, installs ? 1 : before.value.empty() ? 0 : -1);
    Look wanted = before;
    if (installs) wanted = {stamp + token, call.wall.ms() + number(call.args.argument(call.command, 1))};
    expect(call, call.args.key(call.command, i + 2), wanted, stamp + token + " reasserted");
  }
}

void Node::check_release(const Call& call) {
  for (std::size_t i = 0; 2 * i < call.args.keys; ++i) {
    const std::string& stamp = call.args.argument(call.command, 2 + i);
    const std::string ticket = call.args.ticket(call.command, i);
    const Look& before = call.before[i];
    const bool own = before.value.starts_with(stamp) || (!ticket.empty() && kept_for(before.value) == ticket);
    answers(call, i, own && !before.value.empty() ? 1 : before.value.empty() ? 0 : -1);
    const std::string& key = call.args.key(call.command, i);
    const Look after = look(key, call.wall);
    // Given back it is gone, or kept for a waiter, which is no grant.
    if (own && kept_for(after.value)) continue;
    // Who leaves the queue changes how many of it were told when to look; and not for whom the name is kept.
    const bool left = !own && !ticket.empty() && kept_for(before.value) &&
                      kept_for(before.value) == kept_for(after.value) && before.expiry_ms == after.expiry_ms;
    if (!left) expect(call, key, own ? Look{} : before, stamp + " released");
  }
}

void Node::check_look(const Call& call) {
  for (std::size_t i = 0; 2 * i < call.args.keys; ++i) {
    const Look& before = call.before[i];
    const std::string& key = call.args.key(call.command, 2 * i);
    const auto& shown = call.reply.items.at(i).items;
    const std::int64_t left = before.expiry_ms ? *before.expiry_ms - call.wall.ms() : -2;
    if (shown.size() != 3 || shown[0].text != before.value || shown[1].integer != left) {
      judge_.violated("S9", call.now, "what is shown of " + key + " is not true");
    }
    expect(call, key, before, "a look changed");
  }
}

// Who is said to live has beaten, and has not run out; who beats is among them, unless another has its id.
void Node::check_beat(const Call& call) {
  const std::string& key = call.args.key(call.command, 0);
  const Look& before = call.before[0];
  const bool taken = !before.value.empty() && !before.value.starts_with(call.args.argument(call.command, 0));
  if (taken != (call.reply.items.size() == 2)) {
    judge_.violated("S9", call.now, key + ": whether another process has that id is not told as it is");
    return;
  }
  const std::string& ttl = call.args.argument(call.command, 2);
  Look wanted;
  if (taken) {
    wanted = before;
  } else if (ttl != "0") {
    wanted = {call.args.argument(call.command, 1), call.wall.ms() + number(ttl)};
  }
  expect(call, key, wanted, "a beat of");
  if (taken) return;
  // What it owns is told for as long.
  if (!wanted.value.empty()) wanted.value = call.args.argument(call.command, 6);
  expect(call, call.args.key(call.command, 3), wanted, "a beat of");
  bool among = false;
  const std::string& instances = call.args.argument(call.command, 4);
  for (std::size_t i = 1; i + 2 < call.reply.items.size(); i += 3) {
    const Look shown = look(instances + call.reply.items[i].text, call.wall);
    among = among || instances + call.reply.items[i].text == key;
    if (shown.value != call.reply.items[i + 2].text ||
        shown.expiry_ms != call.wall.ms() + call.reply.items[i + 1].integer) {
      judge_.violated("S9", call.now, "what is told of " + call.reply.items[i].text + " is not true");
    }
  }
  if (among != (ttl != "0"))
    judge_.violated("S9", call.now, key + ": who beats lives, and who leaves does not");
}

void Node::answers(const Call& call, std::size_t i, std::int64_t truth) {
  if (call.reply.items.size() != call.before.size()) {
    judge_.violated("S9", call.now, "a batch has another number of answers than keys");
  } else if (call.reply.items[i].integer != truth) {
    judge_.violated("S9", call.now, "the answer about \"" + call.before[i].value + "\" is not true");
  }
}

void Node::expect(const Call& call, const std::string& key, const Look& wanted, const std::string& who) {
  const Look after = look(key, call.wall);
  if (after == wanted) return;
  judge_.violated(
      "S5", call.now,
      who + " " + key + ", which should show \"" + wanted.value + "\" and shows \"" + after.value + "\"");
}

}  // namespace tenure::sim
