#include "postgres/schema.hpp"

#include "core/base/check.hpp"
#include "postgres/schema_parts.hpp"

namespace tenure::postgres {

namespace {

// Among the server's advisory locks, a number that nothing else takes.
const std::string upgrade_lock = "8387223120341381479";

}  // namespace

std::string schema_sql() { return std::string(tables_sql) + std::string(functions_sql); }

std::string upgrade_sql(int from) {
  core::must(from >= schema_version_oldest && from < schema_version, "only older schemas are upgraded");
  core::must(upgrade_steps.size() == schema_version - schema_version_oldest, "every version has its step");
  const std::string version = std::to_string(from);
  // One at a time, and not while somebody's transaction holds what is to change: whoever comes behind would have to wait as well.
  std::string sql =
      "-- From version " + version + " to " + std::to_string(schema_version) +
      ".\n"
      "SET LOCAL search_path = pg_catalog;\n"
      "SET LOCAL lock_timeout = '1s';\n"
      "SELECT pg_advisory_xact_lock(" +
      upgrade_lock +
      ");\n"
      "DO $$ BEGIN IF tenure.schema_version() <> " +
      version +
      " THEN RAISE EXCEPTION USING ERRCODE = '42710', MESSAGE = 'the schema tenure is of version ' "
      "|| tenure.schema_version() || ' by now'; END IF; END $$;\n";
  for (std::size_t step = static_cast<std::size_t>(from - schema_version_oldest); step < upgrade_steps.size();
       ++step) {
    sql += upgrade_steps[step];
  }
  return sql + std::string(functions_sql);
}

}  // namespace tenure::postgres
