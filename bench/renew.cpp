#include <thread>

#include "benches.hpp"
#include "client_of.hpp"
#include "core/lease/keeper.hpp"
#include "cores.hpp"
#include "crowd.hpp"
#include "floor.hpp"
#include "measure.hpp"
#include "redis/grant_text.hpp"
#include "redis/script_call.hpp"
#include "runtime/instance_id.hpp"
#include "stage.hpp"
#include "usage.hpp"

namespace tenure::bench {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// One renewal of all leases.
struct Cost {
  double client = 0;  // processor time
  double redis = 0;   // processor time
  double bytes = 0;   // a lease
  std::optional<double> wall{};
};

// What a stretch of time costs, less what Redis uses when nobody asks it anything.
class Meter {
 public:
  explicit Meter(test::RedisServer& server) : server_(server) {
    const RedisUsage first = usage_of(server_);
    look_ = usage_of(server_) - first;
    std::this_thread::sleep_for(seconds(1));
    idle_cpu_ = (usage_of(server_) - first).cpu;
  }
  void start() {
    redis_ = usage_of(server_);
    client_ = cpu_of_this_process();
    begun_ = BootClock::now();
  }
  // So many leases were renewed since, each so often.
  Cost stop(std::size_t leases, double rounds) {
    const double client = cpu_of_this_process() - client_;
    const double took = std::chrono::duration<double>(BootClock::now() - begun_).count();
    const RedisUsage redis = usage_of(server_) - redis_;
    return {client / rounds, std::max(0.0, redis.cpu - idle_cpu_ * took) / rounds,
            (redis.bytes - look_.bytes) / (static_cast<double>(leases) * rounds)};
  }
  // The same for work of a process that says itself what it took.
  Cost stop(std::size_t leases, const Peer::Took& took) {
    Cost cost = stop(leases, 1);
    cost.client = took.cpu;
    cost.wall = took.seconds;
    return cost;
  }

 private:
  test::RedisServer& server_;
  RedisUsage look_;
  double idle_cpu_ = 0;  // a second
  RedisUsage redis_;
  double client_ = 0;
  BootClock::time_point begun_;
};

// Tokens are counted from the time in microseconds: one digit less would be one byte less to move.
constexpr core::Token first_token = 1'700'000'000'000'000;

// Batches as long as Tenure's, made beforehand.
class ByHand {
 public:
  ByHand(test::RedisServer& server, std::size_t leases) : redis_(server.socket_path()), leases_(leases) {
    const std::string owner = runtime::make_instance_id();
    for (std::size_t first = 0; first < leases; first += core::BatchMax{}.leases) {
      core::RenewRequest request{milliseconds(60'000), {}};
      for (std::size_t i = first; i < first + core::BatchMax{}.leases; ++i) {
        const core::Holding item{"redlock:floor" + std::to_string(i), core::Grant(owner, i), first_token + i};
        redis_.call({"SET", item.key, redis::value(item.grant, item.token), "PX", "60000"});
        request.items.push_back(item);
      }
      redis_.call(redis::script_call(request, {}, "", redis::CallBy::body));
      calls_.push_back(redis::script_call(request, {}, "", redis::CallBy::sha1));
    }
  }
  // At the pace of Tenure's own renewals: caches are as cold, and Redis does as much beside.
  Cost paced(Meter& meter, int rounds) {
    meter.start();
    for (int round = 0; round < rounds; ++round) {
      for (const auto& call : calls_) {
        redis_.call(call);
        std::this_thread::sleep_for(milliseconds(1'000) / calls_.size());
      }
    }
    return meter.stop(leases_, rounds);
  }
  Cost at_once(Meter& meter) {
    meter.start();
    const double wall = timed([&] {
                          for (const auto& call : calls_) redis_.call(call);
                        }).seconds;
    Cost cost = meter.stop(leases_, 1);
    cost.wall = wall;
    return cost;
  }

 private:
  Floor redis_;
  std::size_t leases_;
  std::vector<Words> calls_;
};

std::vector<Lease> held_by(const Client& client, std::size_t count, milliseconds ttl) {
  std::vector<Lease> leases;
  leases.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    leases.push_back(expect(client.lock("held" + std::to_string(i), {.ttl = ttl}).try_acquire()));
  return leases;
}

constexpr const char* renewing = "pexpire";  // the command that the script calls for each lease

// They renew themselves, every third of their TTL.
Cost by_itself(test::Nodes& nodes, Meter& meter, std::size_t count, int rounds) {
  const Client client = client_of(nodes);
  const auto leases = held_by(client, count, milliseconds(3'000));
  std::this_thread::sleep_for(milliseconds(1'000));
  const auto before = test::calls_of(nodes[0], renewing);
  meter.start();
  std::this_thread::sleep_for(milliseconds(1'000) * rounds);
  const auto renewed = static_cast<double>(test::calls_of(nodes[0], renewing) - before);
  const Cost cost = meter.stop(count, renewed / static_cast<double>(count));
  for (const Lease& lease : leases) expect(lease.held(), "a lease was lost");
  return cost;
}

// Each is asked for on its own, by threads that wait for the answer.
Cost by_extend(test::Nodes& nodes, Meter& meter, std::size_t count) {
  constexpr std::size_t callers = 64;
  const Client client = client_of(nodes);
  auto leases = held_by(client, count, milliseconds(60'000));
  Crowd crowd(callers, [&](std::size_t caller) {
    for (std::size_t i = caller; i < count; i += callers) expect(leases[i].extend());
  });
  meter.start();
  const double wall = timed([&] { crowd.block(); }).seconds;
  Cost cost = meter.stop(count, 1);
  cost.wall = wall;
  return cost;
}

Cost by(Peer& peer, Meter& meter, std::size_t count) {
  if (peer.hold(100)) {  // scripts, and what is compiled while it runs
    peer.renew();
    peer.drop();
  }
  expect(peer.hold(static_cast<int>(count)), "it has no such thing");
  meter.start();
  const auto took = peer.renew();
  expect(took.has_value(), "it has no such thing");
  const Cost cost = meter.stop(count, *took);
  peer.drop();
  return cost;
}

Entry entry_of(const std::string& name, Kind kind, const std::vector<Cost>& costs) {
  const auto middle = [&](const auto& of) {
    std::vector<double> values;
    for (const Cost& it : costs) values.push_back(of(it));
    return quantile(values, 0.5);
  };
  Entry entry{name, kind};
  entry.figures = {{"processor time", middle([](const Cost& it) { return it.client + it.redis; })},
                   {"client CPU", middle([](const Cost& it) { return it.client; })},
                   {"Redis CPU", middle([](const Cost& it) { return it.redis; })},
                   {"bytes a lease", middle([](const Cost& it) { return it.bytes; }), Unit::bytes}};
  if (costs.front().wall) entry.figures.push_back({"wall", middle([](const Cost& it) { return *it.wall; })});
  return entry;
}

Row measured(std::size_t count, Stage& stage) {
  test::Nodes nodes = start_nodes(1);
  Meter meter(nodes[0]);
  ByHand by_hand(nodes[0], count);
  std::vector<Cost> paced;
  std::vector<Cost> at_once;
  std::vector<Cost> alone;
  std::vector<Cost> extended;
  const auto peers = stage.redis_peers(nodes[0].socket_path());
  std::vector<std::vector<Cost>> by_peers(peers.size());
  std::vector<std::string> failures(peers.size());
  for (int i = 0; i < (stage.quick() ? 1 : 2); ++i) {
    const int seconds_each = stage.quick() ? 2 : 3;
    paced.push_back(by_hand.paced(meter, seconds_each));
    alone.push_back(by_itself(nodes, meter, count, seconds_each));
    at_once.push_back(by_hand.at_once(meter));
    extended.push_back(by_extend(nodes, meter, count));
    for (std::size_t k = 0; k < peers.size(); ++k) {
      try {
        if (failures[k].empty()) by_peers[k].push_back(by(*peers[k], meter, count));
      } catch (const std::runtime_error& error) {
        failures[k] = error.what();
      }
    }
  }
  Row row{"renew" + std::to_string(count),
          "One renewal of " + std::string(count == 1'000 ? "1,000" : "10,000") + " leases that are held",
          "*Processor time* is that of the client and of Redis together, without what Redis uses when idle: "
          "on one core, it is how long the machine is busy. Tenure renews by itself, in batches of up to "
          "500 that are spread over a third of the TTL, so it has no time by the clock that would say "
          "anything; A sends such batches, made beforehand, at the same pace, B the same one after the "
          "other. The peers, and extend(), renew each lease by a call of its own, as many at once as they "
          "can; redis-py one after the other.",
          "processor time"};
  row.entries = {entry_of("A  batches of 500, paced", Kind::floor, paced),
                 entry_of("B  batches of 500, at once", Kind::floor, at_once),
                 entry_of("Tenure, by itself", Kind::tenure, alone),
                 entry_of("Tenure, extend() by 64 threads", Kind::tenure, extended)};
  for (std::size_t k = 0; k < peers.size(); ++k) {
    row.entries.push_back(failures[k].empty() ? entry_of(peers[k]->name(), Kind::peer, by_peers[k])
                                              : Entry{peers[k]->name(), Kind::peer, {}, failures[k]});
  }
  if (count == 10'000) {
    constexpr const char* ours = "Tenure, by itself";
    row.goals = {
        {"processor time / A's", row.speed(row.entries[0].name, ours), Goal::Side::at_most, 1.1, Unit::times,
         "A counts replies; Tenure moves the deadline of every lease, and counts what was left of it: see "
         "client CPU. Needed would be one deadline for a batch of leases."},
        {"node-redlock's processor time / ours", row.speed(ours, "node-redlock"), Goal::Side::at_least, 6,
         Unit::times,
         "Redis compares and arms each key, whoever asks, and that is the larger part: see Redis CPU. Spread "
         "over time it also finds its caches cold: A and B differ in nothing else. Needed would be all "
         "batches at once, which would hold up whoever else asks Redis, or one key for many leases."}};
  }
  return row;
}

}  // namespace

Rows renewal(Stage& stage) { return {measured(1'000, stage), measured(10'000, stage)}; }

}  // namespace tenure::bench
