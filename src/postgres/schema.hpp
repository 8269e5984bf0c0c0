// The schema that leases are kept in, as src/postgres/schema has it, and how an older one becomes it.
#pragma once

#include <string>

namespace tenure::postgres {

// What tenure.schema_version() says of it.
inline constexpr int schema_version = 2;
// The oldest that can be upgraded.
inline constexpr int schema_version_oldest = 1;

// Statements that make all of it; to be run in one transaction.
std::string schema_sql();

// Statements that make it of one of that version, from the oldest to the last but one; to be run in one transaction. They fail with
// duplicate_object (42710) where the schema is of that version no more.
std::string upgrade_sql(int from);

}  // namespace tenure::postgres
