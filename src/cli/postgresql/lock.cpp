// tenure lock, on PostgreSQL.
#include <utility>

#include "cli/lock/breaking.hpp"
#include "cli/lock/lock_plan.hpp"
#include "cli/lock/lock_report.hpp"
#include "cli/message.hpp"
#include "cli/postgresql/ask_postgresql.hpp"
#include "cli/postgresql/lock_rows.hpp"
#include "cli/postgresql/postgresql.hpp"
#include "cli/postgresql/seen_postgresql.hpp"
#include "core/base/names.hpp"
#include "core/base/number.hpp"
#include "redis/grant_text.hpp"

namespace tenure::cli {

namespace {

using core::Failure;
using redis::Broken;

constexpr std::string_view usual_fleet = "poll";

// The error is a sentence about the words on the command line.
tl::expected<PostgresqlNodes, std::string> choose(const LockTarget& target,
                                                  const std::optional<std::string>& name) {
  if (auto error = error_in(target, name)) return tl::unexpected(std::move(*error));
  return choose_postgresql(target.nodes);
}

// As a lock, an election, and a session of that fleet.
Looked look_at_rows(const PostgresqlNodes& nodes, const LockTarget& target, const std::string& name,
                    std::string_view fleet) {
  const std::string root = nodes.keyspace.root();
  const std::vector<std::string> keys{root + target.lock_prefix + name, root + name,
                                      root + std::string(fleet) + ":lease:" + name};
  return leases_of_name(rows_of(nodes, keys), keys, root, target.lock_prefix);
}

class BreakOnPostgresql : public BreakNodes {
 public:
  BreakOnPostgresql(const LockBreakArgs& args, PostgresqlNodes nodes)
      : BreakNodes(nodes.names(), nodes.keyspace.root() + args.target.lock_prefix + args.name),
        args_(args),
        nodes_(std::move(nodes)) {}

  Looked look() const override {
    const auto rows = rows_of(nodes_, {key()});
    Looked looked{{}, runtime::failures_in(rows)};
    looked.locks.push_back(view_of(args_.name, shown_for(rows, key())));
    return looked;
  }
  Looked look_at_name() const override { return look_at_rows(nodes_, args_.target, args_.name, usual_fleet); }

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
        break;
    }
    return Broken::changed;
  }

  const LockBreakArgs& args_;
  PostgresqlNodes nodes_;
};

}  // namespace

int postgresql_lock_ls(const LockLsArgs& args) {
  const auto nodes = choose(args.target, std::nullopt);
  if (!nodes) return fail(ExitCode::usage, nodes.error());
  const std::string root = nodes->keyspace.root();
  const AllLeases leases = leases_of_all(all_rows(*nodes), root, args.target.lock_prefix,
                                         args.sessions ? ShowSessions::listed : ShowSessions::counted);
  return report_locks(args, leases, nodes->names(), root + args.target.lock_prefix);
}

int postgresql_lock_show(const LockShowArgs& args) {
  const auto nodes = choose(args.target, args.name);
  if (!nodes) return fail(ExitCode::usage, nodes.error());
  if (auto error = core::name_error("the fleet's name", args.fleet)) return fail(ExitCode::usage, *error);
  return report_lock(args, look_at_rows(*nodes, args.target, args.name, args.fleet), nodes->names());
}

int postgresql_lock_break(const LockBreakArgs& args) {
  auto nodes = choose(args.target, args.name);
  if (!nodes) return fail(ExitCode::usage, nodes.error());
  return break_lock(args, BreakOnPostgresql(args, std::move(*nodes)));
}

}  // namespace tenure::cli
