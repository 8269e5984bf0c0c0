#include "cli/postgresql/record_state.hpp"

#include <string>
#include <utility>

#include "runtime/wall_clock.hpp"

namespace tenure::cli {

tl::expected<std::optional<OtherLife>, core::Failure> ask_other_life(postgres::Caller& server,
                                                                     const postgres::Keyspace& keyspace) {
  const auto rows =
      server.call({"SELECT r.life = tenure.life(), r.started = tenure.started(r.forgets) OR NOT r.forgets "
                   "FROM tenure.record r WHERE r.prefix = $1",
                   {keyspace.prefix}});
  if (!rows) return tl::unexpected(rows.error());
  if (rows->empty()) return std::nullopt;
  const postgres::Row& row = rows->front();
  if (row.size() != 2) return tl::unexpected(core::misfit);
  if (row[0] != "t") {
    return OtherLife{"restarted", "it was promoted, or restored from a copy, since its record was written"};
  }
  if (row[1] != "t") {
    return OtherLife{"restarted",
                     "it was restarted since its record was written, and a crash makes it forget what was "
                     "committed (synchronous_commit or fsync is off)"};
  }
  return std::nullopt;
}

std::optional<Finding> postgresql_record_finding(const core::FoundRecord& record,
                                                 const std::optional<OtherLife>& other_life,
                                                 const PostgresqlNodes& nodes, std::int64_t wall_now_ms) {
  const core::Terms ours = nodes.keyspace.terms();
  return finding_on({record, ours, "the row " + nodes.keyspace.prefix + " of its table tenure.record",
                     init_hint(ours, nodes.how_to_init), other_life},
                    wall_now_ms);
}

std::optional<ClosedNode> closed_record(postgres::Caller& server, const std::string& name,
                                        const core::FoundRecord& record, const PostgresqlNodes& nodes) {
  const auto now = runtime::wall_now_ms();
  const auto other_life = ask_other_life(server, nodes.keyspace);
  auto finding = postgresql_record_finding(record, other_life ? *other_life : std::nullopt, nodes, now);
  if (!finding) return std::nullopt;
  return closed_by(name, std::move(*finding), record, {nodes.keyspace.terms(), now});
}

}  // namespace tenure::cli
