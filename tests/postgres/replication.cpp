#include "postgres/replication.hpp"

#include <gtest/gtest.h>

#include "support/wait.hpp"

namespace tenure::test {

std::string url_of_either(const PostgresServer& one, const PostgresServer& other) {
  return "postgresql://tenure@/tenure?host=" + one.directory().string() + "," + other.directory().string() +
         "&target_session_attrs=read-write";
}

void stop_streaming(const PostgresServer& replica) {
  replica.execute("ALTER SYSTEM SET primary_conninfo = ''");
  replica.execute("SELECT pg_reload_conf()");
  ASSERT_TRUE(wait_until([&] { return replica.query("SELECT count(*) FROM pg_stat_wal_receiver") == "0"; }));
}

void wait_for_replay(const PostgresServer& from, const PostgresServer& replica) {
  const std::string place = from.query("SELECT pg_current_wal_lsn()");
  ASSERT_TRUE(
      wait_until([&] { return replica.query("SELECT pg_last_wal_replay_lsn() >= '" + place + "'") == "t"; }));
}

}  // namespace tenure::test
