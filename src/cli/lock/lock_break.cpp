// tenure lock break, on Redis.
#include "cli/ask_all.hpp"
#include "cli/lock/breaking.hpp"
#include "cli/lock/lock.hpp"
#include "cli/lock/lock_plan.hpp"
#include "cli/message.hpp"
#include "cli/nodes/cluster_masters.hpp"
#include "redis/cluster/slot.hpp"
#include "redis/grant_text.hpp"
#include "redis/record_text.hpp"

namespace tenure::cli {

namespace {

using core::Failure;
using redis::Broken;

// What a release has answered.
tl::expected<Broken, Failure> freed(const redis::Value& answer) {
  if (answer.items.size() != 1) return tl::unexpected(core::misfit);
  const auto found = answer.items.front().integer;
  return found == 1 ? Broken::broken : found == 0 ? Broken::absent : Broken::changed;
}

// Of a key in a Cluster: in its slot, whoever serves that now.
class BreakInCluster : public BreakNodes {
 public:
  BreakInCluster(const LockBreakArgs& args, const ChosenStore& store)
      : BreakNodes(store.inspector, args),
        nodes_(*store.redis),
        slot_(redis::slot_of(key())),
        keyspace_(nodes_.keyspace.of_slot(slot_)) {}

  Answers mark(const Request& request) const override { return {mark_one(request(0))}; }

  Answers free(const std::string& victim, const Request& request) const override {
    const auto record = ask({"GET", keyspace_.record()});
    const auto known = record ? redis::read_record(record->text) : std::nullopt;
    if (!known || known->open) return {free_one(victim)};
    const auto answer = mark_one(request(0));
    if (answer && *answer == Broken::broken) return {Broken::blocked};
    return {answer};
  }

  void take_back(const core::Grant& mark) const override { free_one(redis::stamp(mark)); }

 private:
  tl::expected<redis::Value, Failure> ask(const redis::Command& command) const {
    return ask_slot(nodes_, slot_, command, ask_timeout);
  }
  tl::expected<Broken, Failure> mark_one(const redis::Breaking& request) const {
    return ask(redis::break_call(request)).and_then(redis::broken);
  }
  tl::expected<Broken, Failure> free_one(const std::string& victim) const {
    return ask(redis::free_call(key(), victim, keyspace_)).and_then(freed);
  }

  const Nodes& nodes_;
  redis::Slot slot_;
  redis::Keyspace keyspace_;
};

class BreakOnRedis : public BreakNodes {
 public:
  BreakOnRedis(const LockBreakArgs& args, const ChosenStore& store)
      : BreakNodes(store.inspector, args), nodes_(*store.redis) {}

  Answers mark(const Request& request) const override {
    return ask_all<Broken>(
        nodes_, [&](redis::Caller& redis, std::size_t node) { return mark_one(redis, request(node)); });
  }

  Answers free(const std::string& victim, const Request& request) const override {
    return ask_all<Broken>(nodes_,
                           [&](redis::Caller& redis, std::size_t node) -> tl::expected<Broken, Failure> {
                             const auto record = redis.call({"GET", nodes_.keyspace.record()});
                             const auto known = record ? redis::read_record(record->text) : std::nullopt;
                             if (!known || known->open) return free_one(redis, victim);
                             const auto answer = mark_one(redis, request(node));
                             return answer && *answer == Broken::broken ? Broken::blocked : answer;
                           });
  }

  void take_back(const core::Grant& mark) const override {
    ask_all<Broken>(nodes_,
                    [&](redis::Caller& redis, std::size_t) { return free_one(redis, redis::stamp(mark)); });
  }

 private:
  static tl::expected<Broken, Failure> mark_one(redis::Caller& redis, const redis::Breaking& request) {
    const auto answer = redis.call(redis::break_call(request));
    if (!answer) return tl::unexpected(answer.error());
    return redis::broken(*answer);
  }

  tl::expected<Broken, Failure> free_one(redis::Caller& redis, const std::string& victim) const {
    const auto answer = redis.call(redis::free_call(key(), victim, nodes_.keyspace));
    if (!answer) return tl::unexpected(answer.error());
    return freed(*answer);
  }

  const Nodes& nodes_;
};

}  // namespace

int lock_break(const LockBreakArgs& args) {
  const auto store = lock_store(args.target, args.name);
  if (!store) return fail(ExitCode::usage, store.error());
  if (cluster_in(*store->redis) != nullptr) return break_lock(args, BreakInCluster(args, *store));
  return break_lock(args, BreakOnRedis(args, *store));
}

}  // namespace tenure::cli
