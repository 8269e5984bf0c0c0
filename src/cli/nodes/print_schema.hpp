// tenure init --print-sql: the schema for a PostgreSQL, for whoever may make it there. Asks nobody.
#pragma once

namespace tenure::cli {

// Gives the exit code.
int print_schema();

}  // namespace tenure::cli
