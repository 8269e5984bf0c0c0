#include "faults/postgres_node.hpp"

#include <array>
#include <csignal>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "core/base/number.hpp"
#include "postgres/array_text.hpp"
#include "postgres/call.hpp"
#include "postgres/schema.hpp"
#include "runtime/wall_clock.hpp"
#include "support/wait.hpp"

namespace tenure::faults {

namespace {

using namespace std::chrono_literals;

constexpr auto patience = 5s;

test::PostgresServer::Options options_of(const Crowd& crowd, std::size_t node) {
  test::PostgresServer::Options options;
  // What is committed is on its way to the disk for seconds, and lost if the server is killed meanwhile.
  if (node == 0 && node != crowd.data())
    options.settings = {"synchronous_commit=off", "wal_writer_delay=10s"};
  return options;
}

postgres::Address address_of(const std::string& url) { return postgres::parse_url(url).value(); }

postgres::Caller connect_to(const postgres::Address& address) {
  auto caller = postgres::Caller::connect(address, patience);
  if (!caller) throw std::runtime_error(caller.error().detail);
  return std::move(*caller);
}

postgres::Rows ask(postgres::Caller& caller, const char* statement,
                   std::vector<postgres::Value> arguments = {}) {
  auto rows = caller.call({statement, std::move(arguments)});
  if (!rows) throw std::runtime_error(std::string(statement) + ": " + rows.error().detail);
  return std::move(*rows);
}

std::string array_of(const std::vector<std::string>& texts) {
  return postgres::array_text(std::vector<std::string_view>(texts.begin(), texts.end()));
}

template <class Number>
Number number(const postgres::Value& value) {
  return core::read_number<Number>(value.value_or("0")).value_or(0);
}

// Otherwise libpq writes notices and warnings to the screen.
const std::string quiet = "SET client_min_messages = error; ";

// Each locks as much as somebody's report, migration or forgotten session would.
constexpr std::array<const char*, 7> locks{
    "LOCK TABLE tenure.lease IN ACCESS EXCLUSIVE MODE",
    "LOCK TABLE tenure.lease IN SHARE ROW EXCLUSIVE MODE",
    "SELECT FROM tenure.lease WHERE name LIKE '%faults%' FOR UPDATE",
    "SELECT FROM tenure.record FOR UPDATE",
    "LOCK TABLE tenure.waiter IN ACCESS EXCLUSIVE MODE",
    "SELECT FROM tenure.lease WHERE name LIKE 'poll:lease:s-1%' FOR UPDATE",
    "LOCK TABLE tenure.session, tenure.state IN ACCESS EXCLUSIVE MODE",
};

}  // namespace

PostgresNode::PostgresNode(const Crowd& crowd, std::size_t node)
    : server_(options_of(crowd, node)), address_(address_of(server_.url_of("postgres"))) {
  test::postgres_query(server_.url(), postgres::schema_sql());
  if (node == crowd.nodes) return;
  const postgres::Address client = address_of(server_.url());
  auto caller = connect_to(client);
  const auto made = caller.call(postgres::init_call({"e" + std::to_string(node), runtime::wall_now_ms()},
                                                    {.cap = cap, .set = crowd.node_set_text()}));
  if (!made) throw std::runtime_error("a node takes no record: " + made.error().detail);
}

std::string PostgresNode::socket_path() const {
  return server_.directory() / (".s.PGSQL." + std::to_string(server_.socket_port()));
}

std::string PostgresNode::url(std::uint16_t port) const {
  return "postgresql://tenure@127.0.0.1:" + std::to_string(port) + "/tenure?sslmode=disable";
}

postgres::Caller PostgresNode::connect() const { return connect_to(address_); }

void PostgresNode::execute(const std::string& sql) const {
  std::string why;
  const auto done = [&] {
    try {
      server_.execute(sql);
      return true;
    } catch (const std::runtime_error& error) {
      why = error.what();
      return false;
    }
  };
  // A server that starts anew asks the disk to be done with all that anybody has written (syncfs).
  if (!test::wait_until(done, 60s)) throw std::runtime_error(why);
}

// As by somebody who makes the schema anew where it was lost. By its owner, so that clients may use it again.
void PostgresNode::wipe() {
  execute(quiet + "SET SESSION AUTHORIZATION tenure; DROP SCHEMA tenure CASCADE; " + postgres::schema_sql());
}

void PostgresNode::begin(const Fault& fault) {
  switch (fault.kind) {
    case Kind::lock_rows:
      return lock_rows(fault);
    case Kind::read_only:
      return set_read_only(true);
    case Kind::end_sessions:
      return execute(quiet +
                     "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'tenure'");
    case Kind::crash_session:
      return crash_session();
    default:
      throw std::logic_error("this does not happen to PostgreSQL");
  }
}

void PostgresNode::end(const Fault& fault) {
  switch (fault.kind) {
    case Kind::lock_rows:
      stranger_.reset();
      return;
    case Kind::read_only:
      return set_read_only(false);
    default:
      return;  // it had no length
  }
}

void PostgresNode::set_read_only(bool read_only) const {
  execute(read_only ? "ALTER SYSTEM SET default_transaction_read_only = on"
                    : "ALTER SYSTEM RESET default_transaction_read_only");
  execute("SELECT pg_reload_conf()");
}

void PostgresNode::lock_rows(const Fault& fault) {
  const char* const lock = locks.at(fault.detail % locks.size());
  std::string why;
  const auto locked = [&] {
    try {
      stranger_.emplace(connect());
      ask(*stranger_, "BEGIN");
      ask(*stranger_, lock);
      return true;
    } catch (const std::runtime_error& error) {
      why = error.what();
      return false;
    }
  };
  if (!test::wait_until(locked)) throw std::runtime_error(why);
}

// The server itself goes on, ends all sessions and starts anew from what is on the disk.
void PostgresNode::crash_session() const {
  auto victim = connect();
  auto witness = connect();
  const auto pid = number<pid_t>(ask(victim, "SELECT pg_backend_pid()").at(0).at(0));
  if (pid > 0) ::kill(pid, SIGKILL);
  // Whoever connects before the server has noticed is thrown out once more.
  if (!test::wait_until([&] { return !witness.call({"SELECT 1"}); }))
    throw std::runtime_error("a server does not notice that one of its sessions was killed");
  execute("SELECT 1");
}

std::vector<Shown> PostgresNode::shown(const std::vector<std::string>& names) {
  constexpr auto statement = R"(
    SELECT l.owner || '#' || l.nonce || '#' || l.token, l.owner, (extract(epoch FROM l.ends - clock_timestamp()) * 1000)::bigint
    FROM unnest($1::text[]) WITH ORDINALITY AS i(name, n)
    LEFT JOIN tenure.lease l ON l.name = i.name AND l.ends > clock_timestamp() AND NOT l.kept AND l.token <> 0 ORDER BY i.n)";
  auto caller = connect();
  std::vector<Shown> all;
  for (const auto& row : ask(caller, statement, {array_of(names)})) {
    all.push_back(row.at(0) ? Shown{*row[0], row.at(1).value_or(""),
                                    std::chrono::milliseconds(number<std::int64_t>(row.at(2)))}
                            : Shown{});
  }
  return all;
}

bool PostgresNode::remove(const std::string& name, const Shown& lease) {
  auto caller = connect();
  return !ask(caller,
              "DELETE FROM tenure.lease l WHERE l.name = $1 AND l.owner || '#' || l.nonce || '#' || l.token "
              "= $2 RETURNING 1",
              {name, lease.grant})
              .empty();
}

void PostgresNode::add_sessions(const std::vector<std::string>& ids, const std::string& text) {
  auto caller = connect();
  ask(caller, "INSERT INTO tenure.session SELECT 'poll', id, $2 FROM unnest($1::text[]) AS id",
      {array_of(ids), text});
}

Node::Results PostgresNode::results(const std::vector<std::string>& ids) const {
  constexpr auto statement = R"(
    SELECT coalesce(s.token, 0) FROM unnest($1::text[]) WITH ORDINALITY AS i(id, n)
    LEFT JOIN tenure.state s ON s.fleet = 'poll' AND s.id = i.id ORDER BY i.n)";
  return [this, ids = array_of(ids)] {
    auto caller = connect();
    std::vector<core::Token> tokens;
    for (const auto& row : ask(caller, statement, {ids})) tokens.push_back(number<core::Token>(row.at(0)));
    return tokens;
  };
}

}  // namespace tenure::faults
