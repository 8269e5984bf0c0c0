// What the record of a PostgreSQL means for us now.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "cli/doctor/closed_node.hpp"
#include "cli/doctor/record_finding.hpp"
#include "cli/postgresql/postgresql_nodes.hpp"
#include "core/lease/record.hpp"
#include "postgres/net/caller.hpp"

namespace tenure::cli {

// Does the record belong to another life of the server than this one? By the same rule as tenure.admit(). Changes nothing; a
// standby cannot tell.
tl::expected<std::optional<OtherLife>, core::Failure> ask_other_life(postgres::Caller& server,
                                                                     const postgres::Keyspace& keyspace);

// Nothing when it gives leases to us.
std::optional<Finding> postgresql_record_finding(const core::FoundRecord& record,
                                                 const std::optional<OtherLife>& other_life,
                                                 const PostgresqlNodes& nodes, std::int64_t wall_now_ms);

// Why such a record gives no new leases to us now; nothing when it does.
std::optional<ClosedNode> closed_record(postgres::Caller& server, const std::string& name,
                                        const core::FoundRecord& record, const PostgresqlNodes& nodes);

}  // namespace tenure::cli
