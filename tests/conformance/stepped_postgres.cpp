#include "stepped_postgres.hpp"

#include <stdexcept>
#include <utility>

#include "core/base/number.hpp"
#include "postgres/schema.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/net/wait_for.hpp"

namespace tenure::conformance {

namespace {

using postgres::Call;
using postgres::Wire;

constexpr auto patience = std::chrono::seconds(30);

// The clock, which stands still until the test moves it.
constexpr std::string_view clock_sql = R"sql(
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS tenure CASCADE;
DROP SCHEMA IF EXISTS test CASCADE;
CREATE SCHEMA test;
CREATE FUNCTION test.now() RETURNS timestamptz LANGUAGE sql VOLATILE
AS $$ SELECT timestamptz 'epoch' + current_setting('test.now')::bigint * interval '1 millisecond' $$;
)sql";

// What there is, in one call and with plans that are kept, because it is asked for after every step.
constexpr std::string_view look_sql = R"sql(
CREATE FUNCTION test.look(OUT record text, OUT fence bigint, OUT data text) LANGUAGE plpgsql AS $$
BEGIN
  record := (SELECT concat_ws(' ', r.cap, r.nodes, r.epoch, CASE WHEN r.open THEN 'open' ELSE 'quarantined' END, r.made, r.wall,
                              r.longest, r.why, '-') FROM tenure.record r);
  fence := (SELECT f.last_value FROM tenure.fence f);
  data := concat_ws(E'\n',
    (SELECT string_agg(concat_ws(' ', l.name || ':', l.owner, l.nonce, l.token,
                                 CASE WHEN l.kept THEN concat_ws(' ', 'kept', l.told, l.turns) END,
                                 (extract(epoch FROM l.ends - test.now()) * 1000)::bigint, 'ms'), E'\n' ORDER BY l.name)
     FROM tenure.lease l WHERE l.ends > test.now()),
    (SELECT string_agg(concat_ws(' ', w.name || ':', w.owner, w.nonce, 'waits'), E'\n' ORDER BY w.name, w.place)
     FROM tenure.waiter w WHERE w.ends > test.now()));
END $$;
CREATE FUNCTION test.clear(of_fence bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM tenure.record;
  DELETE FROM tenure.lease;
  DELETE FROM tenure.waiter;
  DELETE FROM tenure.beat;
  PERFORM setval('tenure.fence', of_fence);
END $$;
)sql";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string with_stepped_clock(const std::string& schema) {
  return replaced(replaced(schema, "pg_catalog.clock_timestamp()", "test.now()"), "clock_timestamp()",
                  "test.now()");
}

// Until it stirs, or not at all.
void wait(const Wire& wire) {
  const runtime::Awaited awaited = wire.awaited();
  if (!runtime::wait_for(awaited.fd, awaited.events, runtime::boot_now() + patience))
    throw std::runtime_error("PostgreSQL is silent");
}

template <class Result>
void expect(const Result& result) {
  if (!result) throw std::runtime_error(result.error().detail);
}

void connect(Wire& wire) {
  wire.dial();
  while (true) {
    const auto connected = wire.on_dialing();
    expect(connected);
    if (*connected) return;
    wait(wire);
  }
}

// The answers to all of them, each a transaction of its own.
std::vector<Wire::Answer> ask_all(Wire& wire, const std::vector<Call>& calls) {
  for (const Call& call : calls) expect(wire.say(call));
  std::vector<Wire::Answer> answers;
  while (true) {
    expect(wire.flush());
    expect(wire.read(answers));
    if (answers.size() == calls.size()) return answers;
    wait(wire);
  }
}

std::string text_in(const Wire::Answer& answer, std::size_t column) {
  expect(answer);
  return answer->at(0).at(column).value_or("");
}

}  // namespace

SteppedPostgres::SteppedPostgres()
    : server_(
          {.settings = {"fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off"}}),
      address_(postgres::parse_url(server_.url()).value()),
      wire_(address_),
      listener_(address_) {
  connect(wire_);
  connect(listener_);
}

std::string SteppedPostgres::shipped_schema() { return postgres::schema_sql(); }

void SteppedPostgres::install(const std::string& schema) {
  test::postgres_query(server_.url(),
                       std::string(clock_sql) + with_stepped_clock(schema) + std::string(look_sql));
}

void SteppedPostgres::clear(core::Token fence) {
  ask(wire_, {"SELECT test.clear($1)", {std::to_string(fence)}});
  ask(listener_, {"SELECT pg_advisory_unlock_all()"});
}

void SteppedPostgres::set_clock(std::int64_t unix_ms) {
  ask(wire_, {"SELECT set_config('test.now', $1, false)", {std::to_string(unix_ms)}});
}

SteppedPostgres::Outcome SteppedPostgres::call(const Call& call) {
  auto answers = ask_all(wire_, {call, {"SELECT * FROM test.look()"}});
  Outcome outcome{.answer = std::move(answers[0])};
  outcome.record = postgres::found_record(text_in(answers[1], 0));
  outcome.fence = core::read_number<core::Token>(text_in(answers[1], 1)).value();
  outcome.data = text_in(answers[1], 2);
  // A session hears what it has sent itself before it is asked again.
  outcome.messages = wire_.messages();
  return outcome;
}

void SteppedPostgres::listen(const std::string& what) {
  ask(listener_, {"SELECT pg_advisory_lock_shared(tenure.channel_lock($1))", {what}});
}

void SteppedPostgres::stop_listening(const std::string& what) {
  ask(listener_, {"SELECT pg_advisory_unlock_shared(tenure.channel_lock($1))", {what}});
}

void SteppedPostgres::overhear(const std::vector<std::string>& whats) {
  for (const std::string& what : whats) {
    const auto rows = ask(wire_, postgres::listen_call(what));
    const std::string statement = "LISTEN " + rows.at(0).at(1).value();
    ask(wire_, {statement.c_str()});
  }
}

void SteppedPostgres::begin_new_life() {
  ask(wire_, {"UPDATE tenure.record SET life = 'another', started = '-infinity'"});
}

postgres::Rows SteppedPostgres::ask(Wire& wire, const Call& call) {
  auto answers = ask_all(wire, {call});
  expect(answers[0]);
  return std::move(*answers[0]);
}

}  // namespace tenure::conformance
