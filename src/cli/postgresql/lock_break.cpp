// tenure lock break, on PostgreSQL.
#include <utility>

#include "cli/lock/breaking.hpp"
#include "cli/lock/lock_plan.hpp"
#include "cli/message.hpp"
#include "cli/postgresql/ask_postgresql.hpp"
#include "cli/postgresql/postgresql.hpp"
#include "cli/postgresql/seen_postgresql.hpp"
#include "redis/grant_text.hpp"

namespace tenure::cli {

namespace {

using core::Failure;
using redis::Broken;

class BreakOnPostgresql : public BreakNodes {
 public:
  BreakOnPostgresql(const LockBreakArgs& args, const ChosenStore& store, PostgresqlNodes nodes)
      : BreakNodes(store.inspector, args), nodes_(std::move(nodes)) {}

  Answers mark(const Request& request) const override {
    return ask_postgresql<Broken>(
        nodes_, [&](postgres::Caller& server, std::size_t node) { return mark_one(server, request(node)); });
  }

  Answers free(const std::string& victim, const Request& request) const override {
    return ask_postgresql<Broken>(
        nodes_, [&](postgres::Caller& server, std::size_t node) -> tl::expected<Broken, Failure> {
          const auto record = ask_record(server, nodes_.keyspace);
          if (!record) return tl::unexpected(record.error());
          if (!record->read || record->read->open) return free_one(server, victim);
          const auto answer = mark_one(server, request(node));
          return answer && *answer == Broken::broken ? Broken::blocked : answer;
        });
  }

  void take_back(const core::Grant& mark) const override {
    ask_postgresql<Broken>(
        nodes_, [&](postgres::Caller& server, std::size_t) { return free_one(server, redis::stamp(mark)); });
  }

 private:
  static tl::expected<Broken, Failure> mark_one(postgres::Caller& server, const redis::Breaking& it) {
    const auto victim = redis::read_stamp(it.victim);
    if (!victim) return Broken::changed;
    const auto rows = server.call(postgres::break_call({it.lease, *victim, it.mark, it.token, it.block}));
    if (!rows) return tl::unexpected(rows.error());
    const postgres::Value answer = rows->size() == 1 ? rows->front().at(0) : std::nullopt;
    if (answer == "1") return Broken::broken;
    if (answer == "2") return Broken::blocked;
    if (answer == "0") return Broken::absent;
    if (answer == "-1") return Broken::changed;
    return tl::unexpected(core::misfit);
  }

  tl::expected<Broken, Failure> free_one(postgres::Caller& server, const std::string& victim) const {
    const auto grant = redis::read_stamp(victim);
    if (!grant) return Broken::changed;
    const core::Request request = core::ReleaseRequest{key(), *grant};
    const auto rows = server.call(postgres::call_of(request, nodes_.keyspace, {}));
    if (!rows) return tl::unexpected(rows.error());
    const core::Reply reply = postgres::reply_of(request, *rows);
    const auto* answers = std::get_if<core::KeyAnswers>(&reply);
    if (answers == nullptr) return tl::unexpected(core::misfit);
    switch (answers->front()) {
      case core::KeyAnswer::done:
        return Broken::broken;
      case core::KeyAnswer::missing:
        return Broken::absent;
      case core::KeyAnswer::foreign:
      case core::KeyAnswer::locked:
        break;
    }
    return Broken::changed;
  }

  PostgresqlNodes nodes_;
};

}  // namespace

int postgresql_lock_break(const LockBreakArgs& args) {
  const auto store = lock_store(args.target, args.name);
  if (!store) return fail(ExitCode::usage, store.error());
  auto nodes = choose_postgresql(args.target.nodes);
  if (!nodes) return fail(ExitCode::usage, nodes.error());
  return break_lock(args, BreakOnPostgresql(args, *store, std::move(*nodes)));
}

}  // namespace tenure::cli
