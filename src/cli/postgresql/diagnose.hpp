// Looks at nodes of PostgreSQL, and judges them.
#pragma once

#include "cli/doctor/diagnosis.hpp"
#include "cli/postgresql/postgresql_nodes.hpp"

namespace tenure::cli {

// Blocks for as long as the slowest node needs. One that does not answer costs the others nothing.
Diagnosis diagnose(const PostgresqlNodes& nodes, core::Duration node_timeout);

}  // namespace tenure::cli
