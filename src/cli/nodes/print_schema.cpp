#include "cli/nodes/print_schema.hpp"

#include <cstdio>
#include <sstream>

#include "cli/message.hpp"
#include "cli/version.hpp"
#include "postgres/grants.hpp"
#include "postgres/schema.hpp"

namespace tenure::cli {

namespace {

using postgres::Use;

std::string header() {
  return "-- The schema in which Tenure keeps leases in a PostgreSQL: version " +
         std::to_string(postgres::schema_version) + ", by tenure " + std::string(version()) +
         ".\n"
         "-- 1. Run it once in the database, in one transaction, as somebody who may create a schema there:\n"
         "--      tenure init --print-sql >tenure.sql\n"
         "--      psql -1 -v ON_ERROR_STOP=1 -f tenure.sql -d DATABASE\n"
         "-- 2. If clients of Tenure come as another role, let it use the schema: the statements behind "
         "\"GRANTS\" at\n"
         "--    the end of this file, for that role.\n"
         "-- 3. Make the record, as that role, so that nobody waits: tenure init --store "
         "postgresql://ROLE@HOST/DATABASE\n\n";
}

std::string as_comment(const std::string& text) {
  std::string comment;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) comment += "--   " + line + "\n";
  return comment;
}

std::string footer() {
  return "\n-- GRANTS: for every role that clients of Tenure come as.\n" +
         as_comment(postgres::grants(Use::leases, "ROLE")) +
         "-- For one that takes part in fleets, or writes sessions, these as well:\n" +
         as_comment(postgres::grants(Use::fleets, "ROLE")) +
         "-- For a role that takes no leases, but asks tenure.holds() or tenure.fence() before it writes:\n" +
         as_comment(postgres::grants(Use::fencing, "ROLE"));
}

}  // namespace

int print_schema() {
  std::fputs((header() + postgres::schema_sql() + footer()).c_str(), stdout);
  return finish_output();
}

}  // namespace tenure::cli
