// tenure init on a PostgreSQL whose schema is of an earlier version, while somebody holds a lease there; and what is said where program
// and schema do not fit together.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cli/ready_postgres.hpp"
#include "postgres/schema.hpp"
#include "support/paths.hpp"

namespace tenure::test {
namespace {

std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(std::string(paths::source_dir) + "/" + file).rdbuf();
  return text.str();
}

const std::string needs = "and this program needs version " + std::to_string(postgres::schema_version);

// As the first version of tenure left it, with a lease of web-1, which it still renews.
class FirstSchema : public testing::Test {
 protected:
  FirstSchema() {
    postgres_query(postgres.url(), text_of("tests/postgres/schema_1.sql"));
    make_record();
    const std::string granted =
        ask("acquire('tenure:', 60000, '1', 'e1', 0, 'redlock:job', 'web-1', 1, 60000, 0, NULL, NULL)");
    EXPECT_TRUE(granted.starts_with("granted ")) << granted;
    token = granted.substr(granted.find(' ') + 1);
  }

  std::string ask(const std::string& call) const {
    return postgres_query(postgres.url(), "SELECT tenure." + call);
  }
  void make_record() const {
    ask("init('tenure:', 60000, '1', 'e1', (extract(epoch FROM clock_timestamp()) * 1000)::bigint)");
  }
  std::string renewed() const {
    return ask("renew('tenure:', 60000, '1', 60000, '{redlock:job}', '{web-1}', '{1}', '{" + token + "}')");
  }
  Result init() const { return tenure(Words{"init"} + store(postgres.url())); }
  Result run(const Words& options = {"-n"}, const std::string& name = "job") const {
    return tenure(run_words(postgres.url(), options, shell("echo $TENURE_TOKEN"), name));
  }

  const PostgresServer postgres;
  std::string token;
};

TEST_F(FirstSchema, IsUpgradedWhileALeaseStands) {
  const Result upgraded = init();
  EXPECT_EQ(upgraded.code, 0) << upgraded.err;
  EXPECT_EQ(upgraded.out, postgres.url() + ": its schema tenure, of version 1, is of version " +
                              std::to_string(postgres::schema_version) + " now\n");
  EXPECT_EQ(upgraded.err, "");

  const Result second = run();
  EXPECT_EQ(second.code, 75) << second.err;
  EXPECT_TRUE(second.err.starts_with("tenure: job is held by web-1 for another ")) << second.err;
  EXPECT_TRUE(has(second.err, "(token " + token + ")")) << second.err;
  EXPECT_EQ(postgres.query("SELECT tenure.holds('job', " + token + ")"), "t");
  EXPECT_EQ(renewed(), "{1}") << "a program of before goes on";
  EXPECT_TRUE(has(tenure(Words{"lock", "show", "job", "--json"} + store(postgres.url())).out, token));

  const Result other = run({"-n"}, "other");
  EXPECT_EQ(other.code, 0) << other.err;
  EXPECT_GT(std::stol(other.out), std::stol(token));
  EXPECT_EQ(tenure(Words{"doctor"} + store(postgres.url())).code, 0);
}

TEST_F(FirstSchema, IsUpgradedAndThenGetsTheRecordThatItLacks) {
  postgres.execute("DELETE FROM tenure.record");
  const Result upgraded = init();
  EXPECT_EQ(upgraded.code, 0) << upgraded.err;
  EXPECT_TRUE(has(upgraded.out, "is of version 2 now\nmade: this PostgreSQL is ready for Tenure"))
      << upgraded.out;
  EXPECT_EQ(run().code, 75) << "the lease stands all the same";
}

TEST_F(FirstSchema, OnceUpgradedIsLeftAlone) {
  ASSERT_EQ(init().code, 0);
  const std::string before = postgres.query("SELECT l::text FROM tenure.lease l");
  const Result again = init();
  EXPECT_EQ(again.code, 73);
  EXPECT_TRUE(has(again.err, "it has a record of Tenure already")) << again.err;
  EXPECT_EQ(postgres.query("SELECT l::text FROM tenure.lease l"), before);
}

TEST_F(FirstSchema, IsToldOfByWhatNeedsANewerOne) {
  const std::string older =
      "is of version 1, " + needs + ": tenure init upgrades it, as the role that owns it";
  const Result refused = run();
  EXPECT_EQ(refused.code, 69);
  EXPECT_TRUE(has(refused.err, older)) << refused.err;
  const Result elect = tenure(Words{"elect", "a"} + store(postgres.url()));
  EXPECT_EQ(elect.code, 69);
  EXPECT_TRUE(has(elect.err, older)) << elect.err;
  const Result doctor = tenure(Words{"doctor"} + store(postgres.url()));
  EXPECT_EQ(doctor.code, 2);
  EXPECT_TRUE(has(doctor.out, "its schema tenure is of version 1, " + needs + "\n")) << doctor.out;
  EXPECT_TRUE(has(doctor.out, "  do:  tenure init upgrades it, as the role that owns it\n")) << doctor.out;
  EXPECT_EQ(renewed(), "{1}") << "nothing of this has changed anything";
}

TEST_F(FirstSchema, IsNotUpgradedByARoleThatDoesNotOwnItWhichIsSaid) {
  postgres.execute(
      "CREATE ROLE low LOGIN; GRANT USAGE ON SCHEMA tenure TO low; "
      "GRANT SELECT, DELETE ON tenure.record, tenure.beat TO low");
  const Result refused = tenure(Words{"init"} + store(postgres.url_of("low")));
  EXPECT_EQ(refused.code, 69);
  EXPECT_TRUE(has(refused.err, "run tenure init as the role that owns it")) << refused.err;
  EXPECT_EQ(ask("schema_version()"), "1");
}

TEST(PostgresqlNewerSchema, IsToldOfByAProgramThatIsTooOld) {
  const ReadyPostgres postgres;
  postgres_query(
      postgres.url(),
      "CREATE OR REPLACE FUNCTION tenure.schema_version() RETURNS integer LANGUAGE sql IMMUTABLE RETURN 99");
  const Result run = tenure(run_words(postgres.url(), {"-n"}, {"true"}));
  EXPECT_EQ(run.code, 69);
  EXPECT_TRUE(has(run.err, "is of version 99, " + needs + ": use a newer tenure")) << run.err;
  const Result init = tenure(Words{"init"} + store(postgres.url()));
  EXPECT_EQ(init.code, 69);
  EXPECT_TRUE(has(init.err, "is of version 99, " + needs + ": use a newer tenure")) << init.err;
  const Result doctor = tenure(Words{"doctor"} + store(postgres.url()));
  EXPECT_EQ(doctor.code, 2);
  EXPECT_TRUE(has(doctor.out, "its schema tenure is of version 99, " + needs + "\n")) << doctor.out;
  EXPECT_TRUE(has(doctor.out, "  do:  use a newer tenure\n")) << doctor.out;
  EXPECT_TRUE(has(doctor.out, "schema version 99")) << doctor.out;
}

}  // namespace
}  // namespace tenure::test
