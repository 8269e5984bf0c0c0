#include "redis/cluster/router.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "redis/failure.hpp"
#include "redis/url_parts.hpp"

namespace tenure::redis {

using core::Applied;
using core::Failure;
using core::FailureCode;

namespace {

// Servers that name each other are asked so often at most.
constexpr int hops_max = 5;
// A Cluster has some hundred at most. More addresses are no Cluster's.
constexpr std::size_t servers_max = 4000;

const Failure given_up{Applied::no, FailureCode::busy, "it was given up while its slot was on its way"};

std::string slot_text(Slot slot) { return "slot " + std::to_string(slot) + " of the Redis Cluster"; }

// The grants that may stand at the server after it.
std::vector<core::Grant> grants_set_by(const core::Request& request) {
  if (const auto* acquire = std::get_if<core::AcquireRequest>(&request)) return {acquire->grant};
  std::vector<core::Grant> grants;
  if (const auto* reassert = std::get_if<core::ReassertRequest>(&request)) {
    for (const core::Holding& item : reassert->items) grants.push_back(item.grant);
  }
  return grants;
}

// A server says so to every write that it may not do itself any more.
std::optional<Failure> demoted(const Value& answer) {
  if (answer.kind != Value::Kind::error) return std::nullopt;
  const FailureCode code = classify(answer.text).code;
  if (code == FailureCode::read_only) {
    return Failure{Applied::perhaps, code,
                   "the server is no master any more; the Redis Cluster is asked for another"};
  }
  if (!answer.text.starts_with("NOREPLICAS")) return std::nullopt;
  return Failure{Applied::perhaps, code,
                 "the server takes no writes because too few replicas follow it; the Redis Cluster is asked "
                 "whether another one is the master"};
}

void take_out(std::deque<core::RequestId>& ids, core::RequestId id) {
  const auto at = std::ranges::find(ids, id);
  if (at != ids.end()) ids.erase(at);
}

}  // namespace

Router::Router(Us us, Limits limits) : us_(std::move(us)), limits_(limits) {}

Conversation Router::converse() const {
  return {us_.greeting, us_.keyspace, us_.introduce, us_.seen, Parts::by_slot};
}

std::optional<Router::ServerId> Router::server_at(const HostPort& where) {
  const std::string text = to_text(where);
  const auto known = server_by_text_.find(text);
  if (known != server_by_text_.end()) return known->second;
  if (servers_.size() == servers_max) return std::nullopt;
  const auto id = static_cast<ServerId>(servers_.size());
  servers_.push_back({where, converse()});
  server_by_text_.emplace(text, id);
  return id;
}

void Router::ask(core::RequestId id, core::Request request, core::Time now, Heard& heard) {
  Merged merged(request);
  auto portions = split(std::move(request));
  if (portions.empty()) {
    heard.answers.push_back({id, std::move(merged).reply()});
    return;
  }
  Whole& whole = wholes_.try_emplace(id).first->second;
  if (portions.size() > 1) {
    whole.merged = std::move(merged);
    due_.emplace(now + limits_.answers_within, id);
  }
  for (Portion& portion : portions) {
    Share share;
    share.whole = id;
    share.slot = portion.slot;
    share.request = std::move(portion.request);
    share.places = std::move(portion.places);
    share.asked = now;
    const ShareId share_id{++last_share_};
    whole.open.push_back(share_id);
    join(share_id, std::move(share));
  }
  for (const Portion& portion : portions) go_on(portion.slot, now, heard);
}

void Router::join(ShareId id, Share share) {
  Lane& lane = lanes_[share.slot];
  if (const auto* release = std::get_if<core::ReleaseRequest>(&share.request)) {
    const auto note = [&](ShareId earlier) {
      Share& it = shares_.at(earlier);
      if (std::ranges::find(it.sets, release->grant) != it.sets.end()) it.given_up = true;
    };
    std::ranges::for_each(lane.under_way, note);
    std::ranges::for_each(lane.waiting, note);
  }
  share.sets = grants_set_by(share.request);
  if (wholes_.at(share.whole).merged && std::holds_alternative<core::ReassertRequest>(share.request))
    share.again = share.request;
  lane.waiting.push_back(id);
  shares_.emplace(id, std::move(share));
}

void Router::go_on(Slot slot, core::Time now, Heard& heard) {
  for (auto lane = lanes_.find(slot); lane != lanes_.end(); lane = lanes_.find(slot)) {
    if (!send_next(lane->second, now, heard)) return;
  }
}

void Router::go_on(core::Time now, Heard& heard) {
  std::vector<Slot> waiting;
  for (const auto& [slot, lane] : lanes_) {
    if (!lane.waiting.empty()) waiting.push_back(slot);
  }
  for (const Slot slot : waiting) go_on(slot, now, heard);
}

bool Router::send_next(Lane& lane, core::Time now, Heard& heard) {
  if (lane.waiting.empty()) return false;
  const ShareId id = lane.waiting.front();
  // It was turned away, and what came later is under way still.
  if (!lane.under_way.empty() && lane.under_way.back() > id) return false;
  Share& share = shares_.at(id);
  if (share.given_up) {
    finish(id, given_up, heard);
    return true;
  }
  const auto server = server_for(share);
  if (!server) {
    if (map_asked_ < share.asked) {
      wants_map_ = true;
      return false;
    }
    if (no_map_) {
      finish(id, *no_map_, heard);
    } else {
      fail(id, FailureCode::busy, "no server serves " + slot_text(share.slot) + " now", heard);
    }
    return true;
  }
  if (!lane.under_way.empty() && shares_.at(lane.under_way.back()).on != server) return false;
  if (!is_sure(servers_.at(*server), now)) {
    wants_map_ = true;
    return false;
  }
  send(lane, id, share, *server, now);
  return true;
}

std::optional<Router::ServerId> Router::server_for(const Share& share) {
  if (share.asking) return share.asking;
  const HostPort* master = map_.master_of(share.slot);
  return master != nullptr ? server_at(*master) : std::nullopt;
}

// A server may have been frozen, and replaced, and not know it yet.
bool Router::is_sure(const Server& server, core::Time now) const {
  if (server.ended && map_asked_ < *server.ended) return false;
  return std::max(server.alive, map_asked_) + limits_.idle_max > now;
}

void Router::send(Lane& lane, ShareId id, Share& share, ServerId server, core::Time now) {
  lane.waiting.pop_front();
  lane.under_way.push_back(id);
  share.on = server;
  share.sent = now;
  Server& it = servers_.at(server);
  it.conversation.ask(id, std::move(share.request), it.out, share.asking ? Asking::yes : Asking::no);
}

void Router::flush() {
  for (Server& it : servers_) it.conversation.flush(it.out);
}

std::vector<Router::ServerId> Router::stirred() const {
  std::vector<ServerId> all;
  for (ServerId id = 0; id < servers_.size(); ++id) {
    if (!servers_[id].out.empty() || servers_[id].conversation.waiting()) all.push_back(id);
  }
  return all;
}

std::vector<Command> Router::take_commands(ServerId server) {
  return std::exchange(servers_.at(server).out, {});
}

bool Router::serves(ServerId server) const {
  return std::ranges::any_of(
      map_.shards(), [&](const Shard& shard) { return shard.master.place == servers_.at(server).where; });
}

void Router::on_open(ServerId server) {
  Server& it = servers_.at(server);
  it.conversation.open(it.out);
  it.conversation.flush(it.out);
}

tl::expected<void, Failure> Router::on_value(ServerId server, const Value& value, core::Time now,
                                             Heard& heard) {
  Server& it = servers_.at(server);
  std::vector<Conversation::Answer> answers;
  auto admitted = it.conversation.hear(value, it.out, answers);
  if (!admitted) return tl::unexpected(std::move(admitted.error()));
  if (*admitted) heard.admitted.push_back(std::move(**admitted));
  const auto left = demoted(value);
  std::vector<Slot> slots_heard;
  const auto note = [&](ShareId id) {
    const Share& share = shares_.at(id);
    // It has done what was sent then, and nobody knows when.
    it.alive = std::max(it.alive, share.sent);
    wholes_.at(share.whole).answered = now;
    slots_heard.push_back(share.slot);
  };
  for (auto& [id, reply] : answers) {
    note(id);
    if (auto* failure = std::get_if<Failure>(&reply); failure != nullptr && left)
      failure->detail = left->detail;
    if (auto* clock = std::get_if<core::NodeClock>(&reply))
      clock->clock = std::hash<std::string>()(to_text(it.where));
    on_answer(id, std::move(reply), heard);
  }
  for (Conversation::Turned& turned : it.conversation.take_turned()) {
    slots_heard.push_back(shares_.at(turned.id).slot);
    on_turned(server, std::move(turned), heard);
  }
  for (const Slot slot : slots_heard) go_on(slot, now, heard);
  flush();
  if (left) return tl::unexpected(*left);
  return {};
}

void Router::on_answer(ShareId id, core::Reply reply, Heard& heard) {
  Share& share = shares_.at(id);
  // Its slot has another epoch than the connection was admitted to. By now it knows that one.
  if (share.again && std::holds_alternative<core::NotOpen>(reply) && !share.given_up)
    return wait_again(id, share, *std::exchange(share.again, std::nullopt));
  finish(id, std::move(reply), heard);
}

void Router::on_turned(ServerId server, Conversation::Turned turned, Heard& heard) {
  const ShareId id = turned.id;
  Share& share = shares_.at(id);
  Redirection& to = turned.to;
  if (to.to.host.empty()) to.to.host = servers_.at(server).where.host;
  if (share.given_up) return finish(id, given_up, heard);
  const std::string slot = slot_text(share.slot);
  using enum Redirection::Kind;
  if (to.kind == down) {
    wants_map_ = true;
    return fail(id, FailureCode::busy, "the Redis Cluster is down, or nobody serves " + slot, heard);
  }
  if (to.kind == try_again) {
    share.asking.reset();
    return fail(id, FailureCode::busy, slot + " is on its way to another server", heard);
  }
  if (++share.hops > hops_max) {
    wants_map_ = true;
    return fail(id, FailureCode::busy, "its servers do not agree on who serves " + slot, heard);
  }
  const auto there = server_at(to.to);
  if (!there) return fail(id, FailureCode::server, "it names more servers than a Redis Cluster has", heard);
  share.asking.reset();
  if (to.kind == ask) {
    share.asking = there;
  } else {
    // One that is new has replicas and other slots.
    if (!serves(*there)) wants_map_ = true;
    map_.move(share.slot, to.to);
  }
  wait_again(id, share, std::move(turned.request));
}

// In front of all that came later.
void Router::wait_again(ShareId id, Share& share, core::Request request) {
  Lane& lane = lanes_.at(share.slot);
  take_out(lane.under_way, id);
  lane.waiting.insert(std::ranges::lower_bound(lane.waiting, id), id);
  share.request = std::move(request);
  share.on.reset();
}

void Router::leave_lane(ShareId id, const Share& share) {
  const auto at = lanes_.find(share.slot);
  take_out(share.on ? at->second.under_way : at->second.waiting, id);
  if (at->second.under_way.empty() && at->second.waiting.empty()) lanes_.erase(at);
}

void Router::fail(ShareId id, FailureCode code, std::string detail, Heard& heard) {
  finish(id, Failure{Applied::no, code, std::move(detail)}, heard);
}

void Router::finish(ShareId id, core::Reply reply, Heard& heard) {
  const auto share = shares_.extract(id);
  const Share& it = share.mapped();
  leave_lane(id, it);
  const auto at = wholes_.find(it.whole);
  Whole& whole = at->second;
  std::erase(whole.open, id);
  if (whole.merged) {
    whole.merged->add(it.places, std::move(reply));
    if (!whole.open.empty()) return;
    reply = std::move(*whole.merged).reply();
  }
  heard.answers.push_back({it.whole, std::move(reply)});
  wholes_.erase(at);
  while (!due_.empty() && !wholes_.contains(due_.begin()->second)) due_.erase(due_.begin());
}

void Router::on_end(ServerId server, const Failure& why, core::Time now, Heard& heard) {
  Server& it = servers_.at(server);
  const auto unanswered = it.conversation.close();
  it.conversation = converse();
  it.out.clear();
  it.ended = now;
  std::vector<Slot> slots_left;
  const std::string detail =
      why.code == FailureCode::timed_out ? why.detail : to_text(it.where) + ": " + why.detail;
  for (const auto& [id, applied] : unanswered) {
    slots_left.push_back(shares_.at(id).slot);
    finish(id, Failure{applied, why.code, detail}, heard);
  }
  for (const Slot slot : slots_left) go_on(slot, now, heard);
  flush();
}

void Router::on_map(SlotMap map, core::Time asked, core::Time now, Heard& heard) {
  map_ = std::move(map);
  map_asked_ = asked;
  no_map_.reset();
  wants_map_ = false;
  for (ServerId id = 0; id < servers_.size(); ++id) {
    if (!serves(id)) servers_[id].conversation.forget_admissions();
  }
  go_on(now, heard);
  flush();
}

void Router::on_no_map(const Failure& why, core::Time now, Heard& heard) {
  // Whoever waits is not kept waiting: to stop every client when the others are slow would be worse.
  map_asked_ = now;
  no_map_ = why;
  wants_map_ = false;
  go_on(now, heard);
  flush();
}

std::optional<core::Time> Router::wake() const {
  return due_.empty() ? std::nullopt : std::optional(due_.begin()->first);
}

std::set<Router::ServerId> Router::overdue(core::Time now, Heard& heard) {
  std::set<ServerId> late;
  while (!due_.empty() && due_.begin()->first <= now) {
    const core::RequestId id = due_.begin()->second;
    due_.erase(due_.begin());
    const auto whole = wholes_.find(id);
    if (whole == wholes_.end()) continue;
    // A trip may be long, and what was idle takes several of them. Whoever is about as far away as the one that has answered
    // is about to answer, too.
    const core::Time look = whole->second.answered.value_or(now) + pause();
    if (look > now) {
      due_.emplace(look, id);
      continue;
    }
    for (const ServerId server : give_up(id, core::silence, heard)) late.insert(server);
  }
  return late;
}

std::set<Router::ServerId> Router::give_up(core::RequestId id, const Failure& why, Heard& heard) {
  std::set<ServerId> carriers;
  const auto whole = wholes_.find(id);
  if (whole == wholes_.end()) return carriers;
  for (const ShareId share : std::vector(whole->second.open)) {
    const Share& it = shares_.at(share);
    if (it.on) {
      carriers.insert(*it.on);
      continue;
    }
    // What it waits for may have been forgotten by who asked it: nobody else would ever give that up.
    const Lane& lane = lanes_.at(it.slot);
    if (!lane.under_way.empty()) carriers.insert(*shares_.at(lane.under_way.back()).on);
    fail(share, why.code, why.detail, heard);
  }
  return carriers;
}

void Router::drop(const Failure& why, Heard& heard) {
  for (Server& it : servers_) {
    for (const auto& [id, applied] : it.conversation.close())
      finish(id, Failure{applied, why.code, why.detail}, heard);
    it.conversation = converse();
    it.out.clear();
  }
  std::vector<ShareId> waiting;
  for (const auto& [slot, lane] : lanes_)
    waiting.insert(waiting.end(), lane.waiting.begin(), lane.waiting.end());
  for (const ShareId id : waiting) fail(id, why.code, why.detail, heard);
  due_.clear();
  wants_map_ = false;
}

}  // namespace tenure::redis
