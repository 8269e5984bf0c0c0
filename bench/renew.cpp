#include <ctime>
#include <thread>

#include "benches.hpp"
#include "core/grant.hpp"
#include "core/keeper.hpp"
#include "floor.hpp"
#include "redis/script_call.hpp"
#include "runtime/instance_id.hpp"
#include "support/nodes.hpp"
#include "tenure/tenure.hpp"

namespace tenure::bench {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t held = 10'000;

// What was used so far, in seconds.
struct Used {
  double client = 0;
  double server = 0;
  std::int64_t calls = 0;  // of scripts
};

Used used(test::RedisServer& server) {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  Used so_far{static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9, 0, 0};
  const std::string info = server.command({"INFO", "cpu"}).text;
  for (const std::string field : {"used_cpu_user:", "used_cpu_sys:"}) {
    so_far.server += std::stod(info.substr(info.find(field) + field.size()));
  }
  so_far.calls = test::calls_of(server, "evalsha");
  return so_far;
}

struct Cost {
  double client = 0;
  double server = 0;
  double total() const { return client + server; }
};

// A round of all leases.
Cost cost(const Used& from, const Used& to, double rounds) {
  return {(to.client - from.client) / rounds, (to.server - from.server) / rounds};
}

Cost by_hand(test::RedisServer& server, int rounds) {
  Floor redis(server.socket_path());
  const std::string owner = runtime::make_instance_id();
  std::vector<Words> calls;
  for (std::size_t first = 0; first < held; first += core::batch_size_max) {
    core::RenewRequest request{milliseconds(30'000), {}};
    for (std::size_t i = first; i < first + core::batch_size_max; ++i) {
      const core::Holding item{"redlock:floor" + std::to_string(i), core::Grant(owner, i), i};
      redis.call({"SET", item.key, item.grant.value(item.token), "PX", "30000"});
      request.items.push_back(item);
    }
    redis.call(redis::script_call(request, {}, "", redis::CallBy::body));
    calls.push_back(redis::script_call(request, {}, "", redis::CallBy::sha1));
  }
  const Used before = used(server);
  // At the pace of the other: caches are as cold, and Redis does as much beside.
  for (int round = 0; round < rounds; ++round) {
    for (const auto& call : calls) {
      redis.call(call);
      std::this_thread::sleep_for(milliseconds(1'000) / calls.size());
    }
  }
  return cost(before, used(server), rounds);
}

Cost by_tenure(test::Nodes& nodes, int rounds) {
  ClientOptions options;
  options.nodes = {redis::shown(nodes.addresses().front())};
  const Client client = Client::open(options).value();
  std::vector<Lease> leases;
  leases.reserve(held);
  for (std::size_t i = 0; i < held; ++i) {
    auto lease = client.lock("held" + std::to_string(i), {.ttl = milliseconds(3'000)}).try_acquire();
    if (!lease) throw std::runtime_error(lease.error().message);
    leases.push_back(std::move(*lease));
  }
  std::this_thread::sleep_for(milliseconds(1'000));
  const Used before = used(nodes[0]);
  std::this_thread::sleep_for(milliseconds(1'000) * rounds);
  const Used after = used(nodes[0]);
  for (const Lease& lease : leases) {
    if (!lease.held()) throw std::runtime_error(lease.name() + " was lost");
  }
  const double calls = static_cast<double>(after.calls - before.calls);
  return cost(before, after, calls / (held / static_cast<double>(core::batch_size_max)));
}

void show(const char* name, const Cost& cost) {
  std::printf("  %-44s client %6.2f ms  Redis %6.2f ms  together %6.2f ms\n", name, cost.client * 1e3,
              cost.server * 1e3, cost.total() * 1e3);
}

}  // namespace

void renewal(int rounds) {
  test::Nodes nodes(1);
  const Cost floor = by_hand(nodes[0], rounds);
  const Cost ours = by_tenure(nodes, rounds);
  std::printf("\nOne renewal of 10,000 leases, processor time\n");
  show("A  hiredis, calls of 500 keys made beforehand", floor);
  show("Tenure", ours);
  std::printf("  Tenure takes %.2f times A\n", ours.total() / floor.total());
  std::fflush(stdout);
}

}  // namespace tenure::bench
