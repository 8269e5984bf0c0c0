// A replica that lags, for tests that promote it.
#pragma once

#include <string>

#include "support/postgres_server.hpp"

namespace tenure::test {

// Names both, and means the one that takes writes.
std::string url_of_either(const PostgresServer& one, const PostgresServer& other);
// What is committed from now on does not reach it.
void stop_streaming(const PostgresServer& replica);
// Until it has all that the other one has committed by now.
void wait_for_replay(const PostgresServer& from, const PostgresServer& replica);

}  // namespace tenure::test
