// tenure lock break, on Redis.
#include "cli/ask_all.hpp"
#include "cli/lock/breaking.hpp"
#include "cli/lock/lock.hpp"
#include "cli/lock/lock_plan.hpp"
#include "cli/message.hpp"
#include "redis/grant_text.hpp"
#include "redis/record_text.hpp"

namespace tenure::cli {

namespace {

using core::Failure;
using redis::Broken;

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
    if (answer->items.size() != 1) return tl::unexpected(core::misfit);
    const auto found = answer->items.front().integer;
    return found == 1 ? Broken::broken : found == 0 ? Broken::absent : Broken::changed;
  }

  const Nodes& nodes_;
};

}  // namespace

int lock_break(const LockBreakArgs& args) {
  const auto store = lock_store(args.target, args.name);
  if (!store) return fail(ExitCode::usage, store.error());
  return break_lock(args, BreakOnRedis(args, *store));
}

}  // namespace tenure::cli
