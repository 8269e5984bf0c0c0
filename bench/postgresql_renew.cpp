// Many leases that are renewed on PostgreSQL: what that costs the server, and what becomes of its table.
#include <algorithm>
#include <thread>

#include "benches.hpp"
#include "core/nodes.hpp"
#include "measure.hpp"
#include "postgres/net/caller.hpp"
#include "postgresql.hpp"
#include "postgresql_floor.hpp"
#include "usage.hpp"

namespace tenure::bench {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t leases = 10'000;
constexpr milliseconds ttl{60'000};

// One renewal of all of them.
struct Cost {
  double server = 0;  // processor time of all its processes
  double client = 0;
  std::optional<double> wall{};
};

class Meter {
 public:
  explicit Meter(pid_t server)
      : server_(server),
        server_cpu_(cpu_of_family(server)),
        client_cpu_(cpu_of_this_process()),
        begun_(BootClock::now()) {}
  Cost stop(double rounds) const {
    return {(cpu_of_family(server_) - server_cpu_) / rounds, (cpu_of_this_process() - client_cpu_) / rounds,
            std::chrono::duration<double>(BootClock::now() - begun_).count() / rounds};
  }

 private:
  pid_t server_;
  double server_cpu_;
  double client_cpu_;
  BootClock::time_point begun_;
};

// The rows of the plainest lock, updated by one statement for 500 of them.
class ByHand {
 public:
  explicit ByHand(const Database& database) : server_(database.server()->pid()), by_(database.url()) {
    by_.execute(
        "CREATE TABLE by_hand (name text PRIMARY KEY, owner text NOT NULL, ends timestamptz NOT NULL) "
        "WITH (fillfactor = 50)");
    by_.execute(
        "INSERT INTO by_hand SELECT 'floor' || i, 'floor', clock_timestamp() + interval '1 h' FROM "
        "generate_series(1, " +
        std::to_string(leases) + ") i");
    by_.prepare("renew",
                "UPDATE by_hand h SET ends = clock_timestamp() + interval '1 h' FROM unnest($1::text[]) AS i "
                "WHERE h.name = i AND h.owner = $2 AND h.ends > clock_timestamp()");
    for (std::size_t first = 1; first <= leases; first += core::BatchMax{}.leases) {
      std::string names;
      for (std::size_t i = first; i < first + core::BatchMax{}.leases; ++i)
        names += (names.empty() ? "{floor" : ",floor") + std::to_string(i);
      batches_.push_back({"renew", {names + "}", "floor"}, "500"});
    }
  }
  Cost renew(int rounds) {
    const Meter meter(server_);
    for (int round = 0; round < rounds; ++round) {
      for (const Prepared& batch : batches_) by_.call(batch);
    }
    return meter.stop(rounds);
  }

 private:
  pid_t server_;
  PostgresFloor by_;
  std::vector<Prepared> batches_;
};

postgres::Rows ask(postgres::Caller& caller, const postgres::Call& call) {
  auto rows = caller.call(call);
  if (!rows) throw std::runtime_error(rows.error().detail);
  return std::move(*rows);
}

// Takes all of them, and says how they are renewed. In one transaction and on a connection that ends, for that is not what is
// measured.
std::vector<core::Request> renewals_of_taken(const Database& database, const postgres::Address& address) {
  auto caller = postgres::Caller::connect(address, seconds(10)).value();
  std::vector<core::Request> renewals;
  ask(caller, {"BEGIN"});
  for (std::size_t first = 0; first < leases; first += core::BatchMax{}.leases) {
    core::RenewRequest renewal{ttl, {}};
    for (std::size_t i = first; i < first + core::BatchMax{}.leases; ++i) {
      const core::AcquireRequest acquire{"redlock:calls" + std::to_string(i), {"calls", i + 1}, ttl};
      const postgres::Rows rows =
          ask(caller, postgres::call_of(acquire, Database::keyspace(), {database.epoch()}));
      const auto granted = std::get<core::Granted>(postgres::reply_of(acquire, rows));
      renewal.items.push_back({acquire.key, acquire.grant, granted.token});
    }
    renewals.emplace_back(std::move(renewal));
  }
  ask(caller, {"COMMIT"});
  return renewals;
}

// Leases that tenure.acquire() has given, renewed by the calls that a client of Tenure makes, each behind the one before.
class ByCalls {
 public:
  explicit ByCalls(const Database& database)
      : server_(database.server()->pid()),
        address_(postgres::parse_url(database.url()).value()),
        requests_(renewals_of_taken(database, address_)),
        caller_(postgres::Caller::connect(address_, seconds(10)).value()) {}
  Cost renew(int rounds) {
    const Meter meter(server_);
    for (int round = 0; round < rounds; ++round) {
      for (const core::Request& it : requests_) renew(it);
    }
    return meter.stop(rounds);
  }

 private:
  void renew(const core::Request& request) {
    const core::Reply reply =
        postgres::reply_of(request, ask(caller_, postgres::call_of(request, Database::keyspace(), {})));
    const auto* answers = std::get_if<core::KeyAnswers>(&reply);
    expect(answers != nullptr && std::ranges::count(*answers, core::KeyAnswer::done) == 500,
           "a lease was not renewed");
  }

  pid_t server_;
  postgres::Address address_;
  std::vector<core::Request> requests_;
  postgres::Caller caller_;
};

// They renew themselves, every third of their TTL.
Cost by_itself(const Database& database, int for_seconds) {
  const Client client = database.open();
  std::vector<Lease> held;
  for (std::size_t i = 0; i < leases; ++i)
    held.push_back(expect(client.lock("held" + std::to_string(i), {.ttl = seconds(3)}).try_acquire()));
  std::this_thread::sleep_for(seconds(1));
  const auto before = client.metrics().renewals.renewed;
  const Meter meter(database.server()->pid());
  std::this_thread::sleep_for(seconds(for_seconds));
  const auto renewed = client.metrics().renewals.renewed - before;
  Cost cost = meter.stop(static_cast<double>(renewed) / static_cast<double>(leases));
  cost.wall.reset();
  for (const Lease& lease : held) expect(lease.held(), "a lease was lost");
  return cost;
}

Entry entry_of(const std::string& name, Kind kind, const std::vector<Cost>& costs) {
  const auto middle = [&](const auto& of) {
    std::vector<double> values;
    for (const Cost& it : costs) values.push_back(of(it));
    return quantile(values, 0.5);
  };
  Entry entry{name, kind};
  entry.figures = {{"server CPU", middle([](const Cost& it) { return it.server; })},
                   {"client CPU", middle([](const Cost& it) { return it.client; })}};
  if (costs.front().wall) entry.figures.push_back({"wall", middle([](const Cost& it) { return *it.wall; })});
  return entry;
}

// The table of leases, as the server counts it.
struct Table {
  explicit Table(const test::PostgresServer& server)
      : updated(number(server, "n_tup_upd")),
        in_place(number(server, "n_tup_hot_upd")),
        dead(number(server, "n_dead_tup")),
        vacuums(number(server, "autovacuum_count")),
        megabytes(number(server, "pg_relation_size(relid)") / 1e6),
        index_megabytes(number(server, "pg_indexes_size(relid)") / 1e6) {}

  double updated;
  double in_place;
  double dead;
  double vacuums;
  double megabytes;
  double index_megabytes;

 private:
  static double number(const test::PostgresServer& server, const std::string& what) {
    return std::stod(
        server.query("SELECT " + what + " FROM pg_stat_user_tables WHERE relid = 'tenure.lease'::regclass"));
  }
};

// When that many updates are counted: a session tells of them when it ends, but nobody waits for that.
Table counted(const test::PostgresServer& server, std::size_t updated) {
  const auto told = [&] { return Table(server).updated >= static_cast<double>(updated); };
  if (!test::wait_until(told, seconds(30))) throw std::runtime_error("the server counts too few updates");
  return Table(server);
}

Entry table_entry(const std::string& name, const Table& before, const Table& after) {
  const double updated = after.updated - before.updated;
  Entry entry{name, Kind::tenure};
  entry.figures = {{"in place (HOT)", (after.in_place - before.in_place) / updated * 100, Unit::percent},
                   {"table before", before.megabytes, Unit::megabytes},
                   {"table after", after.megabytes, Unit::megabytes},
                   {"index before", before.index_megabytes, Unit::megabytes},
                   {"index after", after.index_megabytes, Unit::megabytes},
                   {"dead rows before", before.dead, Unit::count},
                   {"dead rows after", after.dead, Unit::count}};
  entry.remark = std::to_string(static_cast<int>(after.vacuums - before.vacuums)) + " autovacuums meanwhile";
  return entry;
}

Row measured(const Database& database, Stage& stage) {
  const test::PostgresServer& server = *database.server();
  const int passes = stage.quick() ? 1 : 2;
  const int rounds = (stage.quick() ? 10 : 100) / passes;
  std::vector<Cost> by_hand;
  std::vector<Cost> by_calls;
  std::optional<Table> before;
  {
    ByHand floor(database);
    ByCalls ours(database);
    floor.renew(1);
    before = counted(server, leases);  // each was updated when it was taken
    for (int i = 0; i < passes; ++i) {
      by_hand.push_back(floor.renew(10));
      by_calls.push_back(ours.renew(rounds));
    }
  }
  const Table after = counted(server, leases * static_cast<std::size_t>(1 + rounds * passes));
  const Cost alone = by_itself(database, stage.quick() ? 3 : 6);

  const std::string ours = "Tenure's calls, at once";
  const std::string renewals = std::string(stage.quick() ? "100,000" : "1,000,000") + " renewals";
  Row row{
      "postgresql-renew", "PostgreSQL: one renewal of 10,000 leases that are held, every commit on disk",
      "In 20 batches of 500, each a transaction. *Server CPU* is the processor time of all processes of the "
      "server. A updates the end of rows that are no more than a name, an owner and a time, by a prepared "
      "statement; Tenure's calls are those of its client, each behind the answer to the one before. Tenure "
      "by itself spreads its batches over a third of the TTL, so it has no time by the clock; its line "
      "includes what a server uses when idle. The last line is what became of the table of leases by as many "
      "renewals without a pause, too quick for autovacuum, which comes once a minute, and with no long "
      "transaction beside them, which would keep dead rows: *in place* is the share of updates that left the "
      "index alone (HOT).",
      "server CPU"};
  row.entries = {entry_of("A  UPDATE … FROM unnest, at once", Kind::floor, by_hand),
                 entry_of(ours, Kind::tenure, by_calls), entry_of("Tenure, by itself", Kind::tenure, {alone}),
                 table_entry(renewals, *before, after)};
  row.goals = {
      {"server CPU for all 10,000", row.find(ours, "server CPU"), Goal::Side::at_most, 0.2, Unit::seconds,
       "A shows what the updates themselves take: needed would be to update less often."},
      {"table and index after " + renewals + " / before",
       (after.megabytes + after.index_megabytes) / (before->megabytes + before->index_megabytes),
       Goal::Side::at_most, 1.5, Unit::times,
       "Each update needs room on the page of its row, which the ones before it leave only when no "
       "transaction can see them: needed would be more room on each page (fillfactor), or none that lasts "
       "longer than a renewal."},
      {"updates in place (HOT) of " + renewals, row.find(row.entries.back().name, "in place (HOT)"),
       Goal::Side::at_least, 99, Unit::percent,
       "An update that finds no room on its page goes to another, and into the index: see above."}};
  return row;
}

}  // namespace

Rows postgresql_renewal(Stage& stage) {
  const auto database = Database::start(stage, Commits::on_disk);
  if (!database) return {};
  return {measured(*database, stage)};
}

}  // namespace tenure::bench
