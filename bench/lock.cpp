#include <barrier>
#include <thread>

#include "benches.hpp"
#include "core/grant.hpp"
#include "floor.hpp"
#include "measure.hpp"
#include "redis/script_call.hpp"
#include "support/nodes.hpp"
#include "tenure/tenure.hpp"

namespace tenure::bench {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds ttl{30'000};
constexpr const char* compare_and_delete =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

// The epoch that requests must name: the second word of the record.
std::string epoch_of(Floor& redis) {
  const std::string record = redis.call({"GET", "tenure:record"})->str;
  const auto space = record.find(' ');
  return record.substr(space + 1, record.find(' ', space + 1) - space - 1);
}

// The commands of floor A: the same scripts with the same arguments.
struct SameScripts {
  explicit SameScripts(Floor& redis) : epoch(epoch_of(redis)) {
    const core::Grant warm("floor", 1);
    constexpr auto by = redis::CallBy::body;  // makes them known
    redis.call(redis::script_call(core::AcquireRequest{"warm", warm, ttl}, {}, epoch, by));
    redis.call(redis::script_call(core::ReleaseRequest{"warm", warm}, {}, epoch, by));
  }
  Words acquire(const std::string& key) {
    grant = core::Grant("floor", ++nonce);
    return redis::script_call(core::AcquireRequest{key, grant, ttl}, {}, epoch, redis::CallBy::sha1);
  }
  Words release(const std::string& key) const {
    return redis::script_call(core::ReleaseRequest{key, grant}, {}, epoch, redis::CallBy::sha1);
  }

  std::string epoch;
  core::Grant grant;
  std::uint64_t nonce = 1;
};

// The commands of floor B.
struct PlainSet {
  explicit PlainSet(Floor& redis) : sha(redis.call({"SCRIPT", "LOAD", compare_and_delete})->str) {}
  Words acquire(const std::string& key) {
    value = "floor" + std::to_string(++nonce);
    return {"SET", key, value, "NX", "PX", "30000"};
  }
  Words release(const std::string& key) const { return {"EVALSHA", sha, "1", key, value}; }

  std::string sha;
  std::string value;
  std::uint64_t nonce = 1;
};

Client open(const test::Nodes& nodes) {
  ClientOptions options;
  options.nodes = {redis::shown(nodes.addresses().front())};
  return Client::open(options).value();
}

void expect(const tl::expected<Lease, Refusal>& lease) {
  if (!lease) throw std::runtime_error(lease.error().message);
}

template <class Commands>
void alone(Floor& redis, Commands& commands, int times) {
  for (int i = 0; i < times; ++i) {
    redis.call(commands.acquire("redlock:floor"));
    redis.call(commands.release("redlock:floor"));
  }
}

// One thread that keeps 64 requests under way: what an event loop could do.
template <class Commands>
void pipelined(Floor& redis, std::vector<Commands>& commands, int times) {
  for (int i = 0; i < times; ++i) {
    for (std::size_t k = 0; k < commands.size(); ++k)
      redis.send(commands[k].acquire("p" + std::to_string(k)));
    for (std::size_t k = 0; k < commands.size(); ++k) redis.receive();
    for (std::size_t k = 0; k < commands.size(); ++k)
      redis.send(commands[k].release("p" + std::to_string(k)));
    for (std::size_t k = 0; k < commands.size(); ++k) redis.receive();
  }
}

constexpr int callers = 64;
constexpr int cycles = 30;  // of each caller in a block

// Threads that wait for their turn: starting them is not what is measured.
class Crowd {
 public:
  using Work = std::function<void(int caller)>;

  explicit Crowd(Work work) : work_(std::move(work)) {
    for (int i = 0; i < callers; ++i) {
      threads_.emplace_back([this, i](const std::stop_token& stop) {
        while (true) {
          start_.arrive_and_wait();
          if (stop.stop_requested()) return;
          work_(i);
          end_.arrive_and_wait();
        }
      });
    }
  }
  ~Crowd() {
    for (auto& thread : threads_) thread.request_stop();
    start_.arrive_and_wait();
  }
  void block() {
    start_.arrive_and_wait();
    end_.arrive_and_wait();
  }

 private:
  Work work_;
  std::barrier<> start_{callers + 1};
  std::barrier<> end_{callers + 1};
  std::vector<std::jthread> threads_;
};

}  // namespace

void one_caller(int rounds) {
  test::Nodes nodes(1);
  Floor redis(nodes[0].socket_path());
  SameScripts same(redis);
  PlainSet plain(redis);
  const Client client = open(nodes);
  const Lock lock = client.lock("bench");
  constexpr int times = 500;
  const auto measured =
      measure({{"A  hiredis, the same scripts", [&] { alone(redis, same, times); }, times},
               {"B  hiredis, SET NX PX and compare-delete", [&] { alone(redis, plain, times); }, times},
               {"Tenure",
                [&] {
                  for (int i = 0; i < times; ++i) expect(lock.try_acquire());
                },
                times}},
              rounds);
  print("Acquire and release, one caller", measured);
}

void many_callers(int rounds) {
  test::Nodes nodes(1);
  struct Own {
    Floor redis;
    SameScripts same;
    PlainSet plain;
    explicit Own(const std::string& path) : redis(path), same(redis), plain(redis) {}
  };
  std::vector<std::unique_ptr<Own>> own;
  for (int i = 0; i < callers; ++i) own.push_back(std::make_unique<Own>(nodes[0].socket_path()));
  const auto of = [&](int i) -> Own& { return *own[static_cast<std::size_t>(i)]; };
  const auto key = [](int i) { return "redlock:own" + std::to_string(i); };
  const auto both = [&](Floor& redis, auto& commands, int i) {
    for (int k = 0; k < cycles; ++k) {
      redis.call(commands.acquire(key(i)));
      redis.call(commands.release(key(i)));
    }
  };
  Crowd same([&](int i) { both(of(i).redis, of(i).same, i); });
  Crowd plain([&](int i) { both(of(i).redis, of(i).plain, i); });
  const Client client = open(nodes);
  std::vector<Lock> locks;
  for (int i = 0; i < callers; ++i) locks.push_back(client.lock("t" + std::to_string(i)));
  Crowd ours([&](int i) {
    for (int k = 0; k < cycles; ++k) expect(locks[static_cast<std::size_t>(i)].try_acquire());
  });
  Floor one(nodes[0].socket_path());
  std::vector<SameScripts> pipe_same(callers, SameScripts(one));
  std::vector<PlainSet> pipe_plain(callers, PlainSet(one));
  constexpr double work = callers * cycles;
  const auto measured = measure(
      {{"A  64 threads, own connections, the same scripts", [&] { same.block(); }, work},
       {"B  64 threads, own connections, SET NX PX", [&] { plain.block(); }, work},
       {"C  one thread, 64 pipelined, the same scripts", [&] { pipelined(one, pipe_same, cycles); }, work},
       {"D  one thread, 64 pipelined, SET NX PX", [&] { pipelined(one, pipe_plain, cycles); }, work},
       {"Tenure, 64 threads, one client", [&] { ours.block(); }, work}},
      rounds);
  print("Acquire and release, 64 callers with names of their own", measured);
}

}  // namespace tenure::bench
