// Leases in PostgreSQL, shown as on Redis: as much as is needed for the same tables, sentences and JSON.
#pragma once

#include <string>
#include <vector>

#include "cli/lock/lock_answers.hpp"
#include "cli/postgresql/postgresql_nodes.hpp"

namespace tenure::cli {

// All names that begin so, and that somebody has or waits for. Page by page.
KeysShown rows_under(const PostgresqlNodes& nodes, const std::string& key_prefix);

// Those of these names, as far as they are there. Page by page.
KeysShown rows_of(const PostgresqlNodes& nodes, const std::vector<std::string>& keys);

}  // namespace tenure::cli
