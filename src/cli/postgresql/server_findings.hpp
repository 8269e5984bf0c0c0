// Judges what one PostgreSQL said of itself. Pure: asks nothing, and reads no clock.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/doctor/finding.hpp"
#include "cli/postgresql/postgresql_nodes.hpp"
#include "cli/postgresql/server_facts.hpp"

namespace tenure::cli {

struct PostgresqlCriteria {
  const PostgresqlNodes& nodes;
  core::Duration node_timeout{};  // a node silent for longer has not answered
  std::int64_t wall_now_ms = 0;
};

// Finding::node is left open.
std::vector<Finding> findings_of(const PostgresqlFacts& node, const PostgresqlCriteria& criteria);

}  // namespace tenure::cli
