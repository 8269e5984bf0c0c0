
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "benches.hpp"
#include "callbacks.hpp"
#include "client_of.hpp"
#include "cores.hpp"
#include "crowd.hpp"
#include "floor_calls.hpp"
#include "measure.hpp"
#include "stage.hpp"
#include "tenure/asio.hpp"

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

// The same as Callbacks by coroutines.
class Coroutines {
 public:
  Coroutines(const Client& client, const std::vector<Lock>& locks, int cycles)
      : driver_(client, io_.get_executor()), locks_(locks), cycles_(cycles) {}

  void block() {
    for (const Lock& lock : locks_) boost::asio::co_spawn(io_, work(lock), boost::asio::detached);
    io_.restart();
    io_.run();
  }

 private:
  boost::asio::awaitable<void> work(const Lock& lock) {
    Wait wait;
    wait.wait_max = std::chrono::milliseconds::zero();
    for (int i = 0; i < cycles_; ++i) {
      auto lease = co_await driver_.acquire(lock, wait, boost::asio::use_awaitable);
      expect(lease.has_value(), "no lease");
      const auto released = co_await driver_.release(*lease, boost::asio::use_awaitable);
      expect(released.has_value(), "not released");
    }
  }

  boost::asio::io_context io_{1};
  AsioDriver driver_;
  const std::vector<Lock>& locks_;
  int cycles_;
};

// For the clients that look for their answers before they sleep.
constexpr std::chrono::microseconds spin{100};
constexpr const char* spin_note =
    "With spin a caller looks for its answer for up to 100 µs before it sleeps. A client does so only if its "
    "thread may use more than one core: this one may use the servers' as well, or a third if there is one, "
    "and stays on its own as long as it does not sleep.";
constexpr const char* no_spin_note =
    "A client that is told to spin never does so on one core: its line shows what it costs to ask.";

}  // namespace

Rows one_caller(Stage& stage) {
  test::Nodes nodes = start_nodes(1);
  Caller by_hand(nodes[0].socket_path());
  const Client client = client_of(nodes);
  const Lock lock = client.lock("bench");
  const Client eager = client_of(nodes, spin);
  const Lock eager_lock = eager.lock("spin");
  const bool spins = stage.cores() == Cores::apart;
  constexpr int times = 500;
  const auto floor = [&](auto& calls) {
    return [&] { return timed([&] { alone(by_hand.redis, calls, "redlock:floor", times); }); };
  };
  const auto scopes = [&](const Lock& of) {
    return [&] {
      return timed([&] {
        for (int i = 0; i < times; ++i) expect(of.try_acquire());
      });
    };
  };
  const auto both_ways = [&](const Lock& of) {
    return [&] {
      return timed([&] {
        for (int i = 0; i < times; ++i) {
          auto lease = expect(of.try_acquire());
          expect(lease.release());
        }
      });
    };
  };
  const auto eagerly = [](auto block) {
    return [block] {
      const OneCoreMore more;
      return block();
    };
  };
  const std::string note =
      "One caller takes a free name and gives it back, again and again. A scope does not wait for the answer "
      "to its release, which the next acquisition goes behind; all others wait for both answers. " +
      std::string(spins ? spin_note : no_spin_note) +
      " etcd writes each step to disk and is reached by its JSON gateway; Redis here keeps nothing on disk.";
  Row row{"one", "Acquire and release, one caller", note, time_column};
  std::vector<Contestant> all{{"A  the same scripts", Kind::floor, floor(by_hand.same), times},
                              {"B  SET NX PX, compare-delete", Kind::floor, floor(by_hand.plain), times},
                              {"Tenure", Kind::tenure, both_ways(lock), times},
                              {"Tenure, a scope", Kind::tenure, scopes(lock), times}};
  if (spins) {
    all.push_back({"Tenure, spin", Kind::tenure, eagerly(both_ways(eager_lock)), times});
    all.push_back({"Tenure, spin, a scope", Kind::tenure, eagerly(scopes(eager_lock)), times});
  } else {
    all.push_back({"Tenure, told to spin", Kind::tenure, both_ways(eager_lock), times});
  }
  const auto peers = stage.peers(nodes[0].socket_path());
  for (const auto& peer : peers) all.push_back(cycles_of(*peer, 1));
  row.entries = measure(all, stage.rounds());
  row.goals = {
      {"speed / A's", row.speed("Tenure", row.entries[0].name), Goal::Side::at_least, 0.9, Unit::times,
       "For each answer Tenure makes three system calls (send, ppoll, recv) to A's two, and wakes no thread "
       "of its own: that and its bookkeeping are about 10 µs a cycle. What is more was gone in runs in which "
       "other work kept both cores awake: most likely a core that has slept longer is slower to wake. Needed "
       "would be not to sleep: see the lines with spin."},
      {"speed / that of the fastest peer", speed_of_fastest_peer(row, "Tenure", stage), Goal::Side::at_least,
       1, Unit::times,
       "Where that is PostgreSQL: its advisory lock is an entry in the server's memory that ends with the "
       "session: it has no time to live, no token, and a server process for each caller. Needed would be "
       "less work inside Redis: B, the plainest lock there, is about as fast as PostgreSQL's."},
      {"speed of a scope / that of the fastest peer", speed_of_fastest_peer(row, "Tenure, a scope", stage),
       Goal::Side::at_least, 1, Unit::times,
       "A scope waits for one answer where the peers wait for two, but Redis still runs two scripts, of "
       "three calls each, which take a third of the time or more. Needed would be fewer calls: acquire.lua "
       "reads the record and the lease, counts the token, and writes the lease."}};
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
  std::vector<Lock> own_names;
  for (std::size_t i = 0; i < callers; ++i) own_names.push_back(client.lock("e" + std::to_string(i)));
  Callbacks callbacks(client, own_names, cycles);
  Coroutines coroutines(client, own_names, cycles);
  Floor one(nodes[0].socket_path());
  std::vector<SameScripts> pipe_same(callers, SameScripts(one));
  std::vector<PlainSet> pipe_plain(callers, PlainSet(one));
  const auto pipe = [&](auto& calls) {
    return [&] { return timed([&] { pipelined(one, calls, cycles); }); };
  };
  const auto crowd = [](auto& all) { return [&] { return timed([&] { all.block(); }); }; };
  Row row{"many", "Acquire and release, 64 callers with names of their own",
          "64 callers at the same time. The floors A and B are one thread that keeps 64 requests under way, "
          "what an event loop for this one purpose could do, as Tenure's callbacks and coroutines are one "
          "thread; C and D are 64 threads that block, each on a connection of its own, as Tenure's callers "
          "are 64 threads that block, on one client. Those end a scope, and so wait for one answer of "
          "two; all others wait for both.",
          time_column};
  std::vector<Contestant> all{{"A  64 pipelined, the same scripts", Kind::floor, pipe(pipe_same), work},
                              {"B  64 pipelined, SET NX PX", Kind::floor, pipe(pipe_plain), work},
                              {"C  64 threads, the same scripts", Kind::floor, crowd(same), work},
                              {"D  64 threads, SET NX PX", Kind::floor, crowd(plain), work},
                              {"Tenure", Kind::tenure, crowd(ours), work},
                              {"Tenure, callbacks", Kind::tenure, crowd(callbacks), work},
                              {"Tenure, coroutines", Kind::tenure, crowd(coroutines), work}};
  const auto peers = stage.peers(nodes[0].socket_path());
  for (const auto& peer : peers) all.push_back(cycles_of(*peer, callers));
  row.entries = measure(all, stage.rounds());
  constexpr const char* woken =
      "64 callers that block are 64 threads, each of which sleeps and is woken in every cycle; C does "
      "nothing else, and shows what that costs. Needed would be fewer threads: see callbacks.";
  row.goals = {};
  for (const std::string way : {"Tenure, callbacks", "Tenure, coroutines"}) {
    row.goals.push_back(
        {way.substr(8) + ": speed / A's", row.speed(way, row.entries[0].name), Goal::Side::at_least, 0.75,
         Unit::times,
         "A only formats and counts; every lease of Tenure is kept, watched and timed. Needed would be "
         "less of that for a lease that is soon given back."});
    row.goals.push_back({way.substr(8) + ": speed / node-redlock's", row.speed(way, "node-redlock"),
                         Goal::Side::at_least, 1.5, Unit::times,
                         "The 64 callers of node-redlock are promises on one thread, whose requests go out "
                         "together, as these are. Needed would be fewer calls inside the two scripts."});
  }
  row.goals.push_back({"blocking: speed / C's", row.speed("Tenure", row.entries[2].name),
                       Goal::Side::at_least, 0.75, Unit::times, woken});
  return {row};
}

}  // namespace tenure::bench
