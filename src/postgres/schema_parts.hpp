// The SQL that src/postgres/schema and src/postgres/upgrade hold, as the build embeds it.
#pragma once

#include <string_view>
#include <vector>

namespace tenure::postgres {

extern const std::string_view tables_sql;
// Made anew at every upgrade.
extern const std::string_view functions_sql;
// The first one leads from version 1 to 2.
extern const std::vector<std::string_view> upgrade_steps;

}  // namespace tenure::postgres
