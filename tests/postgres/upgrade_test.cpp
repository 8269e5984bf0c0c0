// Schemas of earlier versions: tenure init makes of each what this program needs, while leases stand.
#include <gtest/gtest.h>

#include <fstream>
#include <future>
#include <sstream>

#include "postgres/contender.hpp"
#include "postgres/net/schema_setup.hpp"
#include "postgres/schema.hpp"
#include "support/paths.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

// As the tenure of that version made it.
std::string schema_of(int version) {
  std::ifstream file(std::string(paths::source_dir) + "/tests/postgres/schema_" + std::to_string(version) +
                     ".sql");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// All that is in the schema, by the catalog: what two schemas have alike, they have alike in this.
std::vector<std::string> described(const PostgresServer& server) {
  const auto all = [&](const std::string& what) {
    return server.query("SELECT string_agg(t, E'\\n' ORDER BY t) FROM (" + what + ") x");
  };
  return {
      all("SELECT pg_get_functiondef(p.oid) t FROM pg_proc p WHERE pronamespace = 'tenure'::regnamespace"),
      all("SELECT concat_ws(' ', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, "
          "pg_get_expr(d.adbin, d.adrelid), a.attcollation) t FROM pg_attribute a JOIN pg_class c ON c.oid = "
          "a.attrelid "
          "LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum "
          "WHERE c.relnamespace = 'tenure'::regnamespace AND c.relkind IN ('r', 'S') AND a.attnum > 0"),
      all("SELECT indexdef t FROM pg_indexes WHERE schemaname = 'tenure'"),
      all("SELECT pg_get_triggerdef(t.oid) t FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
          "WHERE c.relnamespace = 'tenure'::regnamespace"),
      all("SELECT relname || coalesce(array_to_string(reloptions, ','), '') t FROM pg_class "
          "WHERE relnamespace = 'tenure'::regnamespace AND relkind = 'r'"),
      all("SELECT pg_get_constraintdef(c.oid) t FROM pg_constraint c WHERE connamespace = "
          "'tenure'::regnamespace")};
}

postgres::Address address_of(const PostgresServer& server) {
  return postgres::parse_url(server.url()).value();
}

postgres::FoundSchema found_in(const PostgresServer& server) {
  const auto address = address_of(server);
  auto caller = postgres::Caller::connect(address, 10s).value();
  return postgres::find_schema(caller).value();
}

class Upgrade : public testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(FromVersion, Upgrade,
                         testing::Range(postgres::schema_version_oldest, postgres::schema_version),
                         testing::PrintToStringParamName());

TEST_P(Upgrade, MakesTheSameAsANewSchemaAndKeepsLeases) {
  const PostgresServer fresh;
  postgres_query(fresh.url(), postgres::schema_sql());
  const PostgresServer old;
  postgres_query(old.url(), schema_of(GetParam()));
  ASSERT_EQ(old.query("SELECT tenure.schema_version()"), std::to_string(GetParam()));
  old.execute(
      "INSERT INTO tenure.lease (name, owner, nonce, token, ends) VALUES ('redlock:job', 'web-1', 1, 7, "
      "'infinity')");
  old.execute("INSERT INTO tenure.session (fleet, id, text) VALUES ('poll', 's', '{}')");

  const auto found = found_in(old);
  ASSERT_TRUE(found.upgradable());
  EXPECT_EQ(postgres::make_schema(address_of(old), found, 10s), true);
  EXPECT_TRUE(found_in(old).ours());
  EXPECT_EQ(old.query("SELECT tenure.holds('job', 7)"), "t");
  EXPECT_EQ(old.query("SELECT count(*) FROM tenure.sessions('poll', 0, 10)"), "2");
  const auto expected = described(fresh);
  const auto is = described(old);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(is[i], expected[i]);
  // Who looked before it was upgraded changes nothing.
  EXPECT_EQ(postgres::make_schema(address_of(old), found, 10s), false);
  EXPECT_EQ(described(old), is);
}

TEST_P(Upgrade, IsAllOrNothing) {
  const PostgresServer server;
  postgres_query(server.url(), schema_of(GetParam()));
  // A function of somebody stands in the way of the last one.
  postgres_query(
      server.url(),
      "CREATE FUNCTION tenure.results(text, text[], integer) RETURNS integer LANGUAGE sql RETURN 1");
  const auto before = described(server);
  const auto made = postgres::make_schema(address_of(server), found_in(server), 10s);
  ASSERT_FALSE(made);
  EXPECT_EQ(described(server), before);
}

// A dump, or a forgotten session: whoever comes behind an upgrade that waits would wait as well.
TEST_P(Upgrade, GivesUpSoonWhereSomebodyReadsAndStopsNobodyMeanwhile) {
  const PostgresServer server;
  postgres_query(server.url(), schema_of(GetParam()));
  server.execute("INSERT INTO tenure.lease (name) VALUES ('job')");
  Application reader(server.url());
  reader.query("BEGIN");
  reader.query("SELECT count(*) FROM tenure.session");
  auto made = std::async(std::launch::async,
                         [&] { return postgres::make_schema(address_of(server), found_in(server), 10s); });
  ASSERT_TRUE(waits_for_a_lock(server, "ALTER TABLE tenure.fleet"));
  Application holder(server.url());
  EXPECT_EQ(holder.query("SELECT pg_try_advisory_xact_lock(tenure.fence_lock())"), "t") << "tokens are given";
  const auto end = made.get();
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, core::FailureCode::busy) << end.error().detail;
  EXPECT_EQ(found_in(server).version, GetParam());
  reader.query("COMMIT");
  EXPECT_EQ(postgres::make_schema(address_of(server), found_in(server), 10s), true);
}

TEST_P(Upgrade, MeetsAHeartbeatWithoutWaitingForEachOther) {
  const PostgresServer server;
  postgres_query(server.url(), schema_of(GetParam()));
  server.execute(
      "INSERT INTO tenure.beat VALUES ('poll:', 'web-1', 'b', 1, 1, 0, 0, NULL, '{}', 'infinity')");
  Application instance(server.url());
  instance.query("BEGIN");
  instance.query("UPDATE tenure.beat SET owned = 1");
  auto made = std::async(std::launch::async,
                         [&] { return postgres::make_schema(address_of(server), found_in(server), 10s); });
  ASSERT_TRUE(waits_for_a_lock(server, "DELETE FROM tenure.beat"));
  instance.query("SELECT count(*) FROM tenure.fleet");
  instance.query("COMMIT");
  EXPECT_EQ(made.get(), true);
}

TEST_P(Upgrade, DoesNotTakeSomebodysIndexForItsOwn) {
  const PostgresServer server;
  postgres_query(server.url(), schema_of(GetParam()));
  postgres_query(server.url(), "CREATE INDEX session_changes ON tenure.session (text)");
  EXPECT_FALSE(postgres::make_schema(address_of(server), found_in(server), 10s));
  EXPECT_EQ(found_in(server).version, GetParam());
}

TEST_P(Upgrade, ByAnotherRoleSaysWhoMay) {
  const PostgresServer server;
  postgres_query(server.url(), schema_of(GetParam()));
  server.execute(
      "CREATE ROLE web LOGIN; GRANT USAGE ON SCHEMA tenure TO web; GRANT DELETE ON tenure.beat TO web");
  const auto address = postgres::parse_url(server.url_of("web")).value();
  const auto made = postgres::make_schema(address, found_in(server), 10s);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().detail.find("run tenure init as the role that owns it"), std::string::npos)
      << made.error().detail;
}

TEST_P(Upgrade, TellsAProgramOfTheOldVersionThatItIsToBeReplaced) {
  PostgresServer server;
  set_up(server);
  const std::string call =
      "SELECT tenure.admit(" + std::to_string(GetParam()) + ", 'tenure:', 60000, '1', 'e', 1, 0)";
  Application old(server.url());
  EXPECT_NE(old.error(call).find("of version " + std::to_string(postgres::schema_version)), std::string::npos)
      << old.error(call);
}

}  // namespace
}  // namespace tenure::test
