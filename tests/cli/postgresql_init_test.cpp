// tenure init on a PostgreSQL: schema and record, or nothing at all.
#include <gtest/gtest.h>

#include "cli/ready_postgres.hpp"
#include "postgres/schema.hpp"
#include "support/directory.hpp"

namespace tenure::test {
namespace {

Result init(const std::string& url, const Words& options = {}) {
  return tenure(Words{"init"} + store(url) + options);
}

TEST(PostgresqlInit, MakesSchemaAndRecord) {
  const PostgresServer postgres;
  const Result made = init(postgres.url());
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.out, "made: this PostgreSQL is ready for Tenure (leases of at most 1m)\n");
  EXPECT_EQ(made.err, "");
  EXPECT_EQ(postgres.query("SELECT tenure.schema_version()"), std::to_string(postgres::schema_version));
  EXPECT_TRUE(postgres.query("SELECT tenure.shown_record('tenure:')").starts_with("60000 1 "));
  EXPECT_EQ(postgres.query("SELECT open FROM tenure.record"), "t");
}

TEST(PostgresqlInit, LeavesARecordThatExistsAlone) {
  const ReadyPostgres postgres;
  const std::string before = postgres.query("SELECT r::text FROM tenure.record r");
  const Result again = init(postgres.url(), {"--ttl-max", "2m"});
  EXPECT_EQ(again.code, 73);
  EXPECT_EQ(again.out, "");
  EXPECT_EQ(again.err, "tenure: " + postgres.url() +
                           ": it has a record of Tenure already (open, leases of at most 1m); nothing was "
                           "changed\n");
  EXPECT_EQ(postgres.query("SELECT r::text FROM tenure.record r"), before);
}

TEST(PostgresqlInit, MakesARecordOfAnotherPrefixBesideTheFirst) {
  const ReadyPostgres postgres;
  EXPECT_EQ(init(postgres.url(), {"--prefix", "mine:", "--ttl-max", "90s"}).code, 0);
  EXPECT_EQ(postgres.query("SELECT count(*) FROM tenure.record"), "2");
  const Words mine{"--prefix", "mine:", "--ttl-max", "90s", "--ttl", "80s"};
  EXPECT_EQ(tenure(run_words(postgres.url(), mine, {"true"})).code, 0);
}

TEST(PostgresqlInit, ByARoleThatMayNotCreateItSaysWhichRightIsLackingAndWhatElseToDo) {
  const PostgresServer postgres;
  postgres.execute("CREATE ROLE low LOGIN");
  const Result result = init(postgres.url_of("low"));
  EXPECT_EQ(result.code, 69);
  EXPECT_TRUE(has(result.err, "GRANT CREATE ON DATABASE tenure TO low")) << result.err;
  EXPECT_TRUE(has(result.err, "tenure init --print-sql")) << result.err;
  postgres.execute("GRANT CREATE ON DATABASE tenure TO low");
  EXPECT_EQ(init(postgres.url_of("low")).code, 0);
  EXPECT_EQ(tenure(run_words(postgres.url_of("low"), {"-n"}, {"true"})).code, 0);
}

TEST(PostgresqlInit, OfSeveralAtOnceAllSucceedOrSayThatThereIsARecord) {
  const PostgresServer postgres;
  std::vector<std::unique_ptr<Process>> all;
  for (int i = 0; i < 6; ++i) all.push_back(start_tenure(Words{"init"} + store(postgres.url())));
  int made = 0;
  for (const auto& it : all) {
    const Result result = result_of(*it);
    made += result.code == 0 ? 1 : 0;
    EXPECT_TRUE(result.code == 0 || has(result.err, "it has a record of Tenure already")) << result.err;
  }
  EXPECT_EQ(made, 1);
}

TEST(PostgresqlInit, ChangesNothingUnlessEveryNodeIsThereAndNew) {
  const PostgresServer one;
  const PostgresServer two;
  const std::string away = "postgresql://tenure@/tenure?host=/nonexistent";
  const Result result = tenure(Words{"init"} + store(one.url()) + store(two.url()) + store(away));
  EXPECT_EQ(result.code, 69);
  EXPECT_TRUE(has(result.err, "/nonexistent")) << result.err;
  EXPECT_TRUE(has(result.err, "nothing was changed on any node")) << result.err;
  for (const auto* it : {&one, &two}) {
    EXPECT_EQ(it->query("SELECT count(*) FROM pg_namespace WHERE nspname = 'tenure'"), "0");
  }
  make_ready_postgres(one.url(), {"--node-set", "both"});
  const PostgresServer three;
  const Words all = store(one.url()) + store(two.url()) + store(three.url()) + Words{"--node-set", "both"};
  const Result beside = tenure(Words{"init"} + all);
  EXPECT_EQ(beside.code, 73) << beside.err;
  EXPECT_EQ(two.query("SELECT count(*) FROM pg_namespace WHERE nspname = 'tenure'"), "0");
}

TEST(PostgresqlInit, AStandbyIsRefused) {
  PostgresServer primary;
  const PostgresServer standby({.replica_of = &primary});
  const Result result = init(standby.url());
  EXPECT_EQ(result.code, 69);
  EXPECT_TRUE(has(result.err, "it is a standby, which takes no writes; name its primary")) << result.err;
}

TEST(PostgresqlInit, ASchemaThatIsNotOursIsLeftAlone) {
  const PostgresServer postgres;
  postgres.execute("CREATE SCHEMA tenure; CREATE TABLE tenure.treaty (id int)");
  const Result foreign = init(postgres.url());
  EXPECT_EQ(foreign.code, 69);
  EXPECT_TRUE(has(foreign.err, "it has a schema tenure that Tenure did not make")) << foreign.err;
  postgres.execute("DROP SCHEMA tenure CASCADE");
  make_ready_postgres(postgres.url());
  postgres.execute(
      "CREATE OR REPLACE FUNCTION tenure.schema_version() RETURNS integer LANGUAGE sql AS 'SELECT 99'");
  const Result newer = init(postgres.url());
  EXPECT_EQ(newer.code, 69);
  EXPECT_TRUE(has(newer.err,
                  "its schema tenure is of version 99, and this program needs version 2: use a "
                  "newer tenure"))
      << newer.err;
}

TEST(PostgresqlInit, ItsSqlMakesASchemaThatWorks) {
  const PostgresServer postgres;
  // By the superuser, for a role that may not create anything; the grants are those that it names.
  postgres.execute("CREATE ROLE low LOGIN");
  const Result sql = tenure({"init", "--print-sql"});
  EXPECT_EQ(sql.code, 0);
  EXPECT_EQ(sql.err, "");
  EXPECT_TRUE(has(sql.out, "psql -1 ")) << sql.out.substr(0, 800);
  const Process psql({"psql", "-X", "-q", "-1", "-v", "ON_ERROR_STOP=1", postgres.url_of("postgres")},
                     {.input = sql.out});
  EXPECT_EQ(psql.exit_code(), 0) << psql.err();
  EXPECT_EQ(psql.out() + psql.err(), "");

  std::istringstream lines(sql.out.substr(sql.out.find("-- GRANTS")));
  std::string grants;
  for (std::string line; std::getline(lines, line) && !has(line, "takes no leases");) {
    const auto begin = line.find("GRANT ");
    if (begin == std::string::npos) continue;
    line.replace(line.find("ROLE;"), 4, "low");
    grants += line.substr(begin) + "\n";
  }
  postgres.execute(grants);
  EXPECT_EQ(init(postgres.url_of("low")).code, 0);
  EXPECT_EQ(tenure(run_words(postgres.url_of("low"), {"-n"}, {"true"})).code, 0);
  EXPECT_EQ(tenure(Words{"doctor"} + store(postgres.url_of("low"))).code, 0);
}

}  // namespace
}  // namespace tenure::test
