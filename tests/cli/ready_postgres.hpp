// A PostgreSQL that knows Tenure, for tests of the program.
#pragma once

#include <stdexcept>
#include <utility>

#include "cli/tenure_program.hpp"
#include "support/postgres_server.hpp"

namespace tenure::test {

inline Words store(const std::string& url) { return {"--store", url}; }

// As of a first tenure init. Throws where that is refused.
inline void make_ready_postgres(const std::string& url, const Words& options = {}) {
  const Result made = tenure(Words{"init"} + store(url) + options);
  if (made.code != 0) throw std::runtime_error("tenure init: " + made.err);
}

class ReadyPostgres : public PostgresServer {
 public:
  ReadyPostgres() { make_ready_postgres(url()); }
  explicit ReadyPostgres(Options options) : PostgresServer(std::move(options)) { make_ready_postgres(url()); }
};

// tenure run NAME OPTIONS --store URL -- COMMAND
inline Words run_words(const std::string& url, const Words& options, const Words& command,
                       const std::string& name = "job") {
  return Words{"run", name} + options + store(url) + Words{"--"} + command;
}

}  // namespace tenure::test
