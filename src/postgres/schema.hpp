// The schema that leases are kept in, as src/postgres/schema has it.
#pragma once

#include <string_view>

namespace tenure::postgres {

// What tenure.schema_version() says of it.
inline constexpr int schema_version = 1;

// Statements that make all of it; to be run in one transaction.
extern const std::string_view schema_sql;

}  // namespace tenure::postgres
