#include "cli/postgresql/record_state.hpp"

#include <chrono>
#include <string>
#include <utility>

#include "cli/doctor/node_findings.hpp"
#include "cli/nodes/chosen_store.hpp"
#include "runtime/text/quarantine_text.hpp"

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

std::optional<ClosedRecord> closed_record(postgres::Caller& server, const core::FoundRecord& record,
                                          const PostgresqlNodes& nodes, std::int64_t wall_now_ms) {
  if (!record.read || record.read->terms != nodes.keyspace.terms()) return std::nullopt;
  const auto other_life = ask_other_life(server, nodes.keyspace);
  auto finding =
      postgresql_record_finding(record, other_life ? *other_life : std::nullopt, nodes, wall_now_ms);
  if (!finding) return std::nullopt;
  const core::Duration left = finding->code == quarantined
                                  ? runtime::quarantine_left(*record.read, wall_now_ms).at_most
                                  : core::quarantine_length(longest_lease(*record.read));
  return ClosedRecord{std::move(*finding), std::chrono::ceil<core::Ttl>(left)};
}

}  // namespace tenure::cli
