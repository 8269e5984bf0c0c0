#include <chrono>
#include <thread>

#include "benches.hpp"
#include "client_of.hpp"
#include "cores.hpp"
#include "measure.hpp"
#include "own_cluster.hpp"
#include "stage.hpp"
#include "usage.hpp"

namespace tenure::bench {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* one_redis = "one Redis";
constexpr const char* a_cluster = "a Cluster of three masters";

// Clients speak TCP to both, as they must to a Cluster.
test::Nodes start_redis() {
  const AmongServers here;
  return test::Nodes(1, test::cap_default, {.tcp = true});
}

Row one_name_at_a_time(Stage& stage) {
  test::Nodes nodes = start_redis();
  OwnCluster cluster;
  const Client alone = client_of(nodes);
  const Client spread = client_of({cluster.url()});
  constexpr int times = 300;
  const auto cycles = [&](std::vector<Lock> locks) {
    return [locks = std::move(locks)] {
      return timed([&] {
        for (int i = 0; i < times; ++i) {
          auto lease = expect(locks[static_cast<std::size_t>(i) % locks.size()].try_acquire());
          expect(lease.release());
        }
      });
    };
  };
  std::vector<Lock> in_all_shards;
  for (std::size_t master = 0; master < OwnCluster::masters; ++master)
    in_all_shards.push_back(spread.lock(OwnCluster::name_at(master)));
  Row row{"cluster", "One caller on a Redis Cluster",
          "Acquire and release, and each is waited for, over TCP. A call is a script on one server here and "
          "there; a Cluster costs the client the slot of the name, and the server a look at it. The three "
          "servers share a core.",
          time_column};
  row.entries =
      measure({{one_redis, Kind::tenure, cycles({alone.lock(OwnCluster::name_at(0))}), times},
               {a_cluster, Kind::tenure, cycles({in_all_shards.front()}), times},
               {"the same, names in all shards in turn", Kind::tenure, cycles(in_all_shards), times}},
              stage.rounds());
  row.goals = {
      {"time / that on one Redis", row.speed(one_redis, a_cluster), Goal::Side::at_most, 1.3, Unit::times,
       "Needed would be less work for each request in the client, between the core and the socket."}};
  return row;
}

struct Cost {
  double client = 0;   // processor time
  double servers = 0;  // of all of them
};

double cpu_of_all(const std::vector<test::RedisServer*>& servers) {
  double cpu = 0;
  for (test::RedisServer* server : servers) cpu += usage_of(*server).cpu;
  return cpu;
}

using NameOf = std::string (*)(std::size_t);

std::string of_its_own_slot(std::size_t i) { return "held" + std::to_string(i); }
std::string of_thirty_slots(std::size_t i) {
  return "{held" + std::to_string(i % 30) + "}" + std::to_string(i);
}

// One renewal of all leases: they renew themselves, every third of their TTL. Less what the servers use when nobody asks them.
Cost renewal_of(std::size_t count, NameOf name_of, const std::string& url,
                const std::vector<test::RedisServer*>& servers) {
  constexpr int for_seconds = 4;
  const double first = cpu_of_all(servers);
  std::this_thread::sleep_for(seconds(1));
  const double idle = cpu_of_all(servers) - first;
  const Client client = client_of({url});
  std::vector<Lease> leases;
  leases.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    leases.push_back(expect(client.lock(name_of(i), {.ttl = milliseconds(6'000)}).try_acquire()));
  }
  const auto renewed_by_now = [&] {
    std::int64_t calls = 0;
    for (test::RedisServer* server : servers) calls += test::calls_of(*server, "pexpire");
    return calls;
  };
  std::this_thread::sleep_for(seconds(2));
  const auto renewed_before = renewed_by_now();
  const double servers_before = cpu_of_all(servers);
  const double client_before = cpu_of_this_process();
  std::this_thread::sleep_for(seconds(for_seconds));
  const double client_cpu = cpu_of_this_process() - client_before;
  const double servers_cpu = cpu_of_all(servers) - servers_before - idle * for_seconds;
  const double rounds = static_cast<double>(renewed_by_now() - renewed_before) / static_cast<double>(count);
  for (const Lease& lease : leases) expect(lease.held(), "a lease was lost");
  return {client_cpu / rounds, servers_cpu / rounds};
}

Row renewals(Stage& stage) {
  constexpr std::size_t count = 10'000;
  test::Nodes nodes = start_redis();
  OwnCluster cluster;
  std::vector<Cost> alone;
  std::vector<Cost> spread;
  std::vector<Cost> together;
  for (int i = 0; i < (stage.quick() ? 1 : 2); ++i) {
    alone.push_back(renewal_of(count, of_its_own_slot, url_of(nodes), {&nodes[0]}));
    spread.push_back(renewal_of(count, of_its_own_slot, cluster.url(), cluster.servers()));
    together.push_back(renewal_of(count, of_thirty_slots, cluster.url(), cluster.servers()));
  }
  const auto entry = [](const char* name, const std::vector<Cost>& costs) {
    const auto middle = [&](const auto& of) {
      std::vector<double> values;
      for (const Cost& it : costs) values.push_back(of(it));
      return quantile(values, 0.5);
    };
    return Entry{name,
                 Kind::tenure,
                 {{"processor time", middle([](const Cost& it) { return it.client + it.servers; })},
                  {"client CPU", middle([](const Cost& it) { return it.client; })},
                  {"Redis CPU", middle([](const Cost& it) { return it.servers; })}}};
  };
  Row row{"cluster-renew", "One renewal of 10,000 leases in a Redis Cluster",
          "*Processor time* is that of the client and of all servers together, without what servers use when "
          "idle. On one Redis a request renews up to 500 leases; in a Cluster those of one slot, and these "
          "names have nearly as many slots as there are names.",
          "processor time"};
  row.entries = {entry(one_redis, alone), entry(a_cluster, spread),
                 entry("the same, names in 30 slots", together)};
  row.goals = {
      {"processor time / that on one Redis", row.speed(one_redis, a_cluster), Goal::Side::at_most, 2,
       Unit::times,
       "A renewal is of one slot, so that a batch of 500 is nearly 500 scripts that are called, and answers "
       "that are read. Names that share slots, by {tag}, cost less: see the last line. Needed would be a "
       "script for all slots of a server, which Redis does not route."}};
  return row;
}

}  // namespace

Rows cluster(Stage& stage) { return {one_name_at_a_time(stage), many_on_shards(stage), renewals(stage)}; }

}  // namespace tenure::bench
