// A search_path that puts false names before those of PostgreSQL. Functions of the schema run with the rights and, unless they set another,
// with the search_path of whoever calls them: none of it may change what they do.
#include <gtest/gtest.h>

#include <set>

#include "postgres/contender.hpp"
#include "postgres/net/asked_server.hpp"
#include "postgres/session_call.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

// A schema with a twin of every function, operator and type of PostgreSQL that one can be made of, and of every table and sequence of
// Tenure. Whoever uses one of the first three is told so by an error.
constexpr auto make_false_names = R"sql(
CREATE SCHEMA false_names;
CREATE FUNCTION false_names.is_believed() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'a false type was believed'; END $$;
-- These take arguments of any type.
CREATE FUNCTION false_names.concat(text, bigint) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE 'false concat'; END $$;
CREATE FUNCTION false_names.concat_ws(text, text, text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE 'false concat_ws'; END $$;
DO $do$
DECLARE
  it record;
  make text := 'CREATE FUNCTION false_names.%I(%s) RETURNS %s LANGUAGE plpgsql AS ''BEGIN RAISE USING MESSAGE = ''''false %s''''; END''';
BEGIN
  FOR it IN
    SELECT p.proname, p.oid::regprocedure::text AS signature, p.prorettype::regtype, p.proretset,
           (SELECT string_agg(a::regtype::text, ', ' ORDER BY n) FROM unnest(p.proargtypes) WITH ORDINALITY AS x(a, n)) AS arguments
    FROM pg_proc p WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f' AND p.proname <> 'void_send' AND NOT EXISTS (
      SELECT FROM pg_type t WHERE t.typtype = 'p' AND t.typname <> 'void' AND t.oid = ANY (array_append(p.proargtypes::oid[], p.prorettype)))
  LOOP
    EXECUTE format(make, it.proname, it.arguments, CASE WHEN it.proretset THEN 'SETOF ' ELSE '' END || it.prorettype, it.signature);
  END LOOP;
  FOR it IN
    SELECT row_number() OVER () AS n, o.oprname, o.oprleft::regtype AS left_type, o.oprright::regtype AS right_type,
           o.oprresult::regtype AS result, o.oid::regoperator::text AS signature
    FROM pg_operator o WHERE o.oprnamespace = 'pg_catalog'::regnamespace AND o.oprleft <> 0 AND NOT EXISTS (
      SELECT FROM pg_type t WHERE t.typtype = 'p' AND t.oid IN (o.oprleft, o.oprright, o.oprresult))
  LOOP
    EXECUTE format(make, 'operator_' || it.n, it.left_type || ', ' || it.right_type, it.result, it.signature);
    EXECUTE format('CREATE OPERATOR false_names.%s (FUNCTION = false_names.operator_%s, LEFTARG = %s, RIGHTARG = %s)',
                   it.oprname, it.n, it.left_type, it.right_type);
  END LOOP;
  FOR it IN
    SELECT t.typname FROM pg_type t WHERE t.typnamespace = 'pg_catalog'::regnamespace AND t.typtype = 'b' AND t.typcategory <> 'A'
  LOOP
    EXECUTE format('CREATE DOMAIN false_names.%1$I AS pg_catalog.%1$I CHECK (false_names.is_believed())', it.typname);
  END LOOP;
  FOR it IN SELECT c.relname, c.relkind FROM pg_class c WHERE c.relnamespace = 'tenure'::regnamespace AND c.relkind IN ('r', 'S')
  LOOP
    EXECUTE CASE it.relkind WHEN 'r' THEN format('CREATE TABLE false_names.%1$I (LIKE tenure.%1$I)', it.relname)
                            ELSE format('CREATE SEQUENCE false_names.%I', it.relname) END;
  END LOOP;
END $do$;
GRANT USAGE ON SCHEMA false_names TO tenure;
GRANT ALL ON ALL TABLES IN SCHEMA false_names TO tenure;
)sql";

class SearchPath : public testing::Test {
 protected:
  SearchPath() {
    set_up(server);
    server.execute(make_false_names);
    server.execute("ALTER ROLE tenure SET search_path = false_names, pg_catalog");
  }

  PostgresServer server;
};

TEST_F(SearchPath, WithFalseNamesFoolsWhoCallsThemByTheirShortNames) {
  Application victim(server.url());
  for (const char* statement :
       {"SELECT 'a'::text", "SELECT clock_timestamp()", "SELECT nextval('tenure.fence')", "SELECT 1 = 1",
        "SELECT FROM tenure.lease WHERE name = 'job' AND ends > pg_catalog.clock_timestamp()"}) {
    server.execute("INSERT INTO tenure.lease (name) VALUES ('job') ON CONFLICT DO NOTHING");
    EXPECT_NE(victim.error(statement).find("false"), std::string::npos) << statement;
  }
}

TEST_F(SearchPath, WithFalseNamesChangesNothingOfLeases) {
  Contender one(server);
  Contender two(server, "web-2");
  Application writer(server.url());
  const auto holds = [&](const Contender& client, core::Token token) {
    return writer.query("SELECT tenure.holds('job', " + std::to_string(token) + ") /* " + client.owner() +
                        " */");
  };
  // Of a name that nobody knows, and of one that is known and free, which goes another way.
  for (const char* way : {"new", "known"}) {
    ASSERT_EQ(one.acquire(), "granted") << way << ": " << one.failure().detail;
    EXPECT_EQ(two.acquire(), "held by web-1") << way << ": " << two.failure().detail;
    EXPECT_EQ(one.renew(), "done") << one.failure().detail;
    EXPECT_EQ(one.reassert(), "done") << one.failure().detail;
    EXPECT_EQ(one.said_to(core::ConfirmRequest{"job", one.holding().grant, one.token()}), "done")
        << one.failure().detail;
    EXPECT_EQ(holds(one, one.token()), "t");
    EXPECT_EQ(writer.error("SELECT tenure.fence('job', " + std::to_string(one.token()) + ")"), "");
    EXPECT_EQ(two.release(), "foreign") << "it never had it";
    EXPECT_EQ(one.release(), "done") << one.failure().detail;
    EXPECT_EQ(one.renew(), "missing") << one.failure().detail;
    EXPECT_EQ(holds(one, one.token()), "f");
  }
  const core::Token before = one.token();
  ASSERT_EQ(one.acquire(), "granted");
  EXPECT_GT(one.token(), before);
  EXPECT_EQ(two.wait(), "held by web-1") << two.failure().detail;
  EXPECT_EQ(one.release(), "done") << one.failure().detail;
  EXPECT_EQ(two.wait(), "granted") << two.failure().detail;
  EXPECT_EQ(one.said_to(core::LookRequest{{"job"}}), "1 states") << one.failure().detail;
  EXPECT_EQ(one.said_to(core::ClockRequest{}), "time") << one.failure().detail;
  EXPECT_EQ(server.query("SELECT owner FROM tenure.lease WHERE ends > clock_timestamp()"), "web-2");
  for (const char* table : {"lease", "record", "waiter"})
    EXPECT_EQ(server.query("SELECT count(*) FROM false_names." + std::string(table)), "0") << table;
}

// Also where a table of the session itself has the name of a type: such names are found before all others.
TEST_F(SearchPath, WithTemporaryTablesChangesNothingOfLeases) {
  Application client(server.url());
  client.query("SET search_path = public");
  for (const char* name : {"tid", "text", "bigint", "lease", "record", "fence"})
    client.query("CREATE TEMPORARY TABLE \"" + std::string(name) + "\" (owner integer)");
  const auto acquire = [&] {
    return client.query(
        "SELECT tenure.acquire('tenure:', 60000, '1', (SELECT epoch FROM tenure.record), 0, 'job', 'web-1', "
        "1, 30000, 0, "
        "NULL, NULL)");
  };
  const auto release = [&] {
    return client.query("SELECT tenure.release('tenure:', 'job', 'web-1', 1, NULL, NULL, true)");
  };
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(acquire().starts_with("granted "));
    EXPECT_EQ(release(), "{1}");
  }
}

TEST_F(SearchPath, WithFalseNamesChangesNothingOfFleets) {
  const auto asked = postgres::server_at(postgres::parse_url(server.url()).value(), 10s);
  const auto ask = [&](const postgres::Call& call) {
    const auto rows = asked->ask(call);
    EXPECT_TRUE(rows) << call.statement << ": " << rows.error().detail;
    return rows ? rows->size() : 0;
  };
  Contender instance(server);
  const core::BeatRequest beat{"fleet:", "one", {}, long_enough};
  EXPECT_EQ(instance.said_to(beat), "1 live") << instance.failure().detail;
  EXPECT_EQ(instance.said_to(core::ListsRequest{"fleet:", {"one"}}), "1 lists") << instance.failure().detail;
  const postgres::NewResult result{"s", "", 1, "{}", 1, 1};
  ask(postgres::session_put_call("fleet", {"s", "{}"}, std::nullopt));
  ask(postgres::session_put_call("fleet", {"s", "{ }"}, "{}"));
  EXPECT_EQ(ask(postgres::sessions_call("fleet", 0, 10)), 2U);
  EXPECT_EQ(ask(postgres::session_text_call("fleet", "s", 10)), 1U);
  ask(postgres::publish_call("fleet", {&result, 1}));
  EXPECT_EQ(ask(postgres::results_call("fleet", {&result.session, 1}, 10)), 1U);
  EXPECT_EQ(ask(postgres::beats_call("fleet")), 1U);
  EXPECT_EQ(ask(postgres::listen_call("fleet")), 1U);
  ask(postgres::session_remove_call("fleet", "s"));
  ask(postgres::fleet_forget_call("fleet"));
  EXPECT_EQ(server.query("SELECT count(*) FROM tenure.fleet"), "0");
}

// Whoever makes the schema may have such a search_path as well.
TEST_F(SearchPath, WithFalseNamesMakesTheSameSchema) {
  const std::string functions =
      "SELECT string_agg(pg_get_functiondef(p.oid), E'\\n' ORDER BY p.oid::regprocedure::text) FROM pg_proc "
      "p "
      "WHERE p.pronamespace = 'tenure'::regnamespace";
  const std::string made = server.query(functions);
  server.execute("SET client_min_messages = error; DROP SCHEMA tenure CASCADE");
  server.execute("GRANT CREATE ON SCHEMA false_names TO tenure");
  set_up(server);
  EXPECT_EQ(server.query(functions), made);
  Contender client(server);
  EXPECT_EQ(client.acquire(), "granted") << client.failure().detail;
}

}  // namespace
}  // namespace tenure::test
