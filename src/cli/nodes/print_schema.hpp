// tenure init --print-sql: the schema for a PostgreSQL, for whoever may make it there. Asks nobody.
#pragma once

#include <string>

namespace tenure::cli {

// Gives the exit code.
int print_schema();

// What lets a role take leases in the schema, a statement a line. The role is as SQL writes it.
std::string grants_for(const std::string& role);

}  // namespace tenure::cli
