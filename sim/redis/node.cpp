#include "sim/redis/node.hpp"

#include <algorithm>

#include "core/base/check.hpp"
#include "redis/list_text.hpp"
#include "sim/world/plan.hpp"

namespace tenure::sim {

namespace {

using Kind = ScriptArgs::Kind;

// Saved now and then, as many as a restart may choose from.
constexpr std::size_t saved_max = 4;
constexpr std::uint64_t calls_between_saves = 40;

}  // namespace

Node::Node(std::size_t index, ScriptHost& host, redis::Keyspace keyspace, WallClock clock, Judge& judge,
           core::Random random)
    : index_(index),
      model_(host),
      keyspace_(std::move(keyspace)),
      clock_(clock),
      judge_(judge),
      random_(random) {
  new_life();
}

void Node::new_life() {
  model_.server().run_id = random_.hex16();
  model_.server().replid = random_.hex16();
}

void Node::init(TrueTime now) {
  const NodeTime wall = clock_.read(now);
  const auto made = model_.run(redis::init_call({random_.hex16(), wall.ms()}, keyspace_), wall);
  core::must(made.kind == redis::Value::Kind::array, "a new node takes its record");
}

void Node::restart(Memory memory, WallClock clock, TrueTime now) {
  clock_ = clock;
  forgot_at_ = now;
  model_.forget_scripts();
  new_life();
  if (memory == Memory::none || (memory == Memory::older && saved_.empty())) model_.data().clear();
  if (memory == Memory::older && !saved_.empty()) model_.data() = saved_[random_.below(saved_.size())];
  saved_.clear();  // the future of that past never happened
}

void Node::fail_over(Deposed deposed, WallClock clock, TrueTime now) {
  auto old = std::make_shared<Node>(*this);
  old->old_master_.reset();
  old_master_ = std::move(old);
  deposed_ = deposed;
  restart(Memory::older, clock, now);
}

redis::Value Node::run_at_old_master(const redis::Command& command, TrueTime now) {
  // Redis looks at its replicas before it runs a script that may write, and our looks are flagged as such that do not.
  const bool writes = ScriptArgs::is_script(command) && ScriptArgs(command).kind != Kind::look;
  if (writes && deposed_ == Deposed::refuses) {
    return redis::Value::error("NOREPLICAS Not enough good replicas to write.");
  }
  return old_master_->run(command, now);
}

bool Node::go_back() {
  if (saved_.empty()) return false;
  model_.data() = saved_[random_.below(saved_.size())];
  saved_.clear();
  forgot_at_.reset();  // who knows nothing of it is granted what others have forgotten
  forgotten_up_to_ = highest_fence_;
  return true;
}

redis::Value Node::run(const redis::Command& command, TrueTime now) {
  const NodeTime wall = clock_.read(now);
  if (command[0] == "TIME" || command[0] == "MGET") return model_.run(command, wall);
  if (!ScriptArgs::is_script(command)) return redis::Value::status("OK");  // AUTH, SELECT: not modelled
  const ScriptArgs args(command);
  std::vector<Look> before;
  for (const std::size_t key : lease_keys(args)) before.push_back(look(args.key(command, key), wall));
  const std::string record = look(keyspace_.record(), wall).value;
  const core::Token fence = last_token(now);

  redis::Value reply = model_.run(command, wall);
  if (reply.kind == redis::Value::Kind::error) {
    if (!reply.text.starts_with("NOSCRIPT")) judge_.violated("S9", now, "a script failed: " + reply.text);
    return reply;
  }
  if (args.kind != Kind::look && ++calls_ % calls_between_saves == 0) {
    saved_.push_back(model_.data());
    if (saved_.size() > saved_max) saved_.pop_front();
  }
  note_fence(record, now);
  check({command, args, std::move(before), record, fence, reply, now, wall});
  return reply;
}

// Whether data went back shows in a counter that is behind what somebody knows. A new record says that somebody has noticed;
// once the counter is past all that was forgotten nobody can any more.
void Node::note_fence(const std::string& record_before, TrueTime now) {
  const core::Token fence = last_token(now);
  highest_fence_ = std::max(highest_fence_, fence);
  if (!forgotten_up_to_) return;
  const bool noticed = look(keyspace_.record(), clock_.read(now)).value != record_before;
  if (!noticed && fence < *forgotten_up_to_) return;
  forgotten_up_to_.reset();
  if (!noticed) judge_.on_hidden_loss(index_);
}

std::vector<std::size_t> Node::lease_keys(const ScriptArgs& args) const {
  std::vector<std::size_t> keys;
  switch (args.kind) {
    case Kind::acquire:
    case Kind::confirm:
    case Kind::beat:  // no lease, but a key that belongs to one process
      keys.push_back(0);
      break;
    case Kind::renew:
      for (std::size_t i = 1; i < args.keys; ++i) keys.push_back(i);
      break;
    case Kind::reassert:
      for (std::size_t i = 2; i < args.keys; ++i) keys.push_back(i);
      break;
    case Kind::release:
      for (std::size_t i = 0; 2 * i < args.keys; ++i) keys.push_back(i);
      break;
    case Kind::look:
      for (std::size_t i = 0; i < args.keys; i += 2) keys.push_back(i);
      break;
    case Kind::admit:
    case Kind::open:
    case Kind::reconfigure:
      break;
  }
  return keys;
}

Node::Look Node::look(const std::string& key, NodeTime now) const {
  const std::string* value = model_.data().get(key, now);
  if (value == nullptr) return {};
  return {*value, model_.data().expiry(key, now)};
}

core::Token Node::last_token(TrueTime now) const {
  return static_cast<core::Token>(number(look(keyspace_.fence(), clock_.read(now)).value));
}

std::vector<std::string> Node::keys(TrueTime now) const {
  std::vector<std::string> keys = model_.data().keys(clock_.read(now));
  std::erase_if(keys, [&](const auto& key) { return key == keyspace_.record() || key == keyspace_.fence(); });
  return keys;
}

std::vector<std::string> Node::leases(TrueTime now) const {
  std::vector<std::string> leases = keys(now);
  std::erase(leases, fleet_prefix + "nodes");
  return leases;
}

std::vector<core::SessionHash> Node::list_of(const std::string& instance, TrueTime now) const {
  const Look shown = look(redis::Keyspace::list(fleet_prefix, instance), clock_.read(now));
  return redis::read_list(shown.value).value_or(std::vector<core::SessionHash>());
}

}  // namespace tenure::sim
