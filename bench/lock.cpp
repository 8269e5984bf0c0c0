#include "benches.hpp"
#include "client_of.hpp"
#include "cores.hpp"
#include "crowd.hpp"
#include "floor_calls.hpp"
#include "measure.hpp"
#include "stage.hpp"

namespace tenure::bench {

namespace {

template <class Calls>
void alone(Floor& redis, Calls& calls, const std::string& key, int times) {
  for (int i = 0; i < times; ++i) {
    redis.call(calls.acquire(key));
    redis.call(calls.release(key));
  }
}

// One thread that keeps as many requests under way: what an event loop could do.
template <class Calls>
void pipelined(Floor& redis, std::vector<Calls>& calls, int times) {
  const auto key = [](std::size_t caller) { return "p" + std::to_string(caller); };
  for (int i = 0; i < times; ++i) {
    for (std::size_t k = 0; k < calls.size(); ++k) redis.send(calls[k].acquire(key(k)));
    for (std::size_t k = 0; k < calls.size(); ++k) redis.receive();
    for (std::size_t k = 0; k < calls.size(); ++k) redis.send(calls[k].release(key(k)));
    for (std::size_t k = 0; k < calls.size(); ++k) redis.receive();
  }
}

// A caller of its own connection.
struct Caller {
  explicit Caller(const std::string& path) : redis(path), same(redis), plain(redis) {}
  Floor redis;
  SameScripts same;
  PlainSet plain;
};

}  // namespace

Rows one_caller(Stage& stage) {
  test::Nodes nodes = start_nodes(1);
  Caller by_hand(nodes[0].socket_path());
  const Client client = client_of(nodes);
  const Lock lock = client.lock("bench");
  constexpr int times = 500;
  const auto floor = [&](auto& calls) {
    return [&] { return timed([&] { alone(by_hand.redis, calls, "redlock:floor", times); }); };
  };
  const auto ours = [&] {
    return timed([&] {
      for (int i = 0; i < times; ++i) expect(lock.try_acquire());
    });
  };
  Row row{
      "one", "Acquire and release, one caller",
      "One caller takes a free name and gives it back, again and again. etcd writes each step to disk and "
      "is reached by its JSON gateway; Redis here keeps nothing on disk.",
      time_column};
  std::vector<Contestant> all{{"A  the same scripts", Kind::floor, floor(by_hand.same), times},
                              {"B  SET NX PX, compare-delete", Kind::floor, floor(by_hand.plain), times},
                              {"Tenure", Kind::tenure, ours, times}};
  const auto peers = stage.peers(nodes[0].socket_path());
  for (const auto& peer : peers) all.push_back(cycles_of(*peer, 1));
  row.entries = measure(all, stage.rounds());
  row.goals = {
      {"speed / A's", row.speed("Tenure", row.entries[0].name), Goal::Side::at_least, 0.9, Unit::times,
       "Between two cores most of the time is spent on waking the one that sleeps; see the rows with spin."},
      {"speed / that of the fastest peer", speed_of_fastest_peer(row, "Tenure", stage), Goal::Side::at_least,
       1, Unit::times,
       "Where that is PostgreSQL: its advisory lock is an entry in the server's memory that ends "
       "with the session: it has no time to live, no token, and a server process for each caller."}};
  return {row};
}

Rows many_callers(Stage& stage) {
  constexpr int callers = 64;
  constexpr int cycles = 30;  // of each caller in a block
  constexpr double work = callers * cycles;
  test::Nodes nodes = start_nodes(1);
  std::vector<std::unique_ptr<Caller>> own;
  for (std::size_t i = 0; i < callers; ++i) own.push_back(std::make_unique<Caller>(nodes[0].socket_path()));
  const auto key = [](std::size_t i) { return "redlock:own" + std::to_string(i); };
  Crowd same(callers, [&](std::size_t i) { alone(own[i]->redis, own[i]->same, key(i), cycles); });
  Crowd plain(callers, [&](std::size_t i) { alone(own[i]->redis, own[i]->plain, key(i), cycles); });
  const Client client = client_of(nodes);
  std::vector<Lock> locks;
  for (std::size_t i = 0; i < callers; ++i) locks.push_back(client.lock("t" + std::to_string(i)));
  Crowd ours(callers, [&](std::size_t i) {
    for (int k = 0; k < cycles; ++k) expect(locks[i].try_acquire());
  });
  Floor one(nodes[0].socket_path());
  std::vector<SameScripts> pipe_same(callers, SameScripts(one));
  std::vector<PlainSet> pipe_plain(callers, PlainSet(one));
  const auto pipe = [&](auto& calls) {
    return [&] { return timed([&] { pipelined(one, calls, cycles); }); };
  };
  const auto crowd = [](Crowd& all) { return [&] { return timed([&] { all.block(); }); }; };
  Row row{"many", "Acquire and release, 64 callers with names of their own",
          "64 callers at the same time. The floors A and B are one thread that keeps 64 requests under way, "
          "what an event loop for this one purpose could do; C and D are 64 threads that block, each on a "
          "connection of its own, as Tenure's callers are 64 threads that block, on one client.",
          time_column};
  std::vector<Contestant> all{{"A  64 pipelined, the same scripts", Kind::floor, pipe(pipe_same), work},
                              {"B  64 pipelined, SET NX PX", Kind::floor, pipe(pipe_plain), work},
                              {"C  64 threads, the same scripts", Kind::floor, crowd(same), work},
                              {"D  64 threads, SET NX PX", Kind::floor, crowd(plain), work},
                              {"Tenure", Kind::tenure, crowd(ours), work}};
  const auto peers = stage.peers(nodes[0].socket_path());
  for (const auto& peer : peers) all.push_back(cycles_of(*peer, callers));
  row.entries = measure(all, stage.rounds());
  constexpr const char* woken =
      "Tenure's calls block, so 64 callers are 64 threads, each of which sleeps and is woken twice a cycle; "
      "C does nothing else, and shows what that costs. ";
  row.goals = {
      {"speed / A's", row.speed("Tenure", row.entries[0].name), Goal::Side::at_least, 0.75, Unit::times,
       woken +
           std::string("A is one thread that sends 64 requests at once and never waits for a single one.")},
      {"speed / node-redlock's", row.speed("Tenure", "node-redlock"), Goal::Side::at_least, 1.5, Unit::times,
       woken + std::string("The 64 callers of node-redlock are promises on one thread, whose requests go out "
                           "together.")}};
  return {row};
}

}  // namespace tenure::bench
