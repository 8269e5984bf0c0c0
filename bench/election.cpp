#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <deque>
#include <latch>
#include <thread>

#include "benches.hpp"
#include "floor.hpp"
#include "support/nodes.hpp"
#include "support/process.hpp"
#include "tenure/tenure.hpp"

namespace tenure::bench {

namespace {

using std::chrono::milliseconds;
using Clock = BootClock;

constexpr auto key = "bench:leader";
constexpr auto patience = std::chrono::seconds(30);

double ms(Clock::duration duration) { return std::chrono::duration<double, std::milli>(duration).count(); }

ClientOptions options_for(const std::string& url, std::string id) {
  ClientOptions options;
  options.nodes = {url};
  options.id = std::move(id);
  return options;
}

void expect(bool well, const char* what) {
  if (!well) throw std::runtime_error(what);
}

// One of several candidates, each with a client of its own.
struct Candidate {
  Candidate(const std::string& url, const std::string& id, const ElectionOptions& options)
      : client(Client::open(options_for(url, id)).value()), election(client.election(key, options).value()) {
    election.on_elected([this](const Lease&) { elected_at = Clock::now().time_since_epoch(); });
  }
  Clock::time_point wait_elected() {
    const auto end = Clock::now() + patience;
    while (elected_at.load() == Clock::duration::zero()) {
      expect(Clock::now() < end, "nobody was elected");
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return Clock::time_point(elected_at.load());
  }

  std::atomic<Clock::duration> elected_at{};
  Client client;
  Election election;
};

// Candidates that hand over to each other, again and again.
class Relay {
 public:
  explicit Relay(std::size_t candidates) {
    for (std::size_t i = 0; i < candidates; ++i) {
      all_.emplace_back(url(), "web-" + std::to_string(i), ElectionOptions{});
    }
    for (auto& it : all_) it.election.start();
  }
  // From the call of stop() to the handler of the next leader.
  double hand_over() {
    settle();
    Candidate& leader = *std::ranges::find_if(all_, [](auto& it) { return it.election.is_leader(); });
    leader.elected_at = Clock::duration::zero();
    const auto begun = Clock::now();
    leader.election.stop();
    Candidate* next = nullptr;
    const auto end = begun + patience;
    while (next == nullptr) {
      expect(Clock::now() < end, "nobody was elected");
      for (auto& it : all_) {
        if (it.elected_at.load() != Clock::duration::zero()) next = &it;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    leader.election.start();
    return ms(Clock::time_point(next->elected_at.load()) - begun);
  }

 private:
  std::string url() const { return redis::shown(nodes_.addresses().front()); }
  // One leads, and the others wait for it.
  void settle() {
    const auto leads = [](const Candidate& it) {
      return it.election.is_leader() && it.elected_at.load() != Clock::duration::zero();
    };
    expect(test::wait_until(
               [&] {
                 return std::ranges::count_if(all_, leads) == 1 && nodes_.enrolled(key) == all_.size() - 1;
               },
               patience),
           "the candidates do not settle");
  }

  test::Nodes nodes_{1};
  std::deque<Candidate> all_;
};

// The least that a hand-made program would do: the holder deletes the key and pushes a word, the waiter is woken by
// BLPOP and takes the key by SET NX PX.
class PlainRelay {
 public:
  double hand_over() {
    holder_.call({"SET", key, "holder", "PX", "15000"});
    std::latch waits(1);
    Clock::time_point taken;
    std::jthread waiter([&] {
      waiter_.send({"BLPOP", "bench:free", "30"});
      waits.count_down();
      waiter_.receive();
      waiter_.call({"SET", key, "waiter", "NX", "PX", "15000"});
      taken = Clock::now();
    });
    waits.wait();
    expect(test::wait_until([&] { return blocked() == 1; }, patience), "nobody waits");
    const auto begun = Clock::now();
    holder_.send({"DEL", key});
    holder_.send({"RPUSH", "bench:free", "1"});
    holder_.receive();
    holder_.receive();
    waiter.join();
    return ms(taken - begun);
  }

 private:
  std::int64_t blocked() {
    const std::string info = nodes_[0].command({"INFO", "clients"}).text;
    const std::string field = "blocked_clients:";
    return std::stoll(info.substr(info.find(field) + field.size()));
  }

  test::Nodes nodes_{1};
  Floor holder_{nodes_[0].socket_path()};
  Floor waiter_{nodes_[0].socket_path()};
};

void show(const char* name, std::vector<double> measured) {
  std::ranges::sort(measured);
  const auto at = [&](double share) {
    return measured[static_cast<std::size_t>(share * static_cast<double>(measured.size() - 1))];
  };
  std::printf("  %-44s p50 %7.2f ms  p99 %7.2f ms  most %7.2f ms  (%zu times)\n", name, at(0.5), at(0.99),
              measured.back(), measured.size());
  std::fflush(stdout);
}

// What this process and the server have used, in seconds.
struct Used {
  double client = 0;
  double server = 0;
};

Used used(test::RedisServer& server) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  Used so_far{seconds(usage.ru_utime) + seconds(usage.ru_stime), 0};
  const std::string info = server.command({"INFO", "cpu"}).text;
  for (const std::string field : {"used_cpu_user:", "used_cpu_sys:"}) {
    so_far.server += std::stod(info.substr(info.find(field) + field.size()));
  }
  return so_far;
}

struct Held {
  explicit Held(const std::string& url, const std::string& id)
      : client(Client::open(options_for(url, id)).value()) {
    for (std::size_t i = 0; i < count; ++i) {
      elections.push_back(client.election("bench:" + std::to_string(i)).value());
      elections.back().start();
    }
  }
  ~Held() {
    std::stop_source at_once;  // all of them together, and then wait
    at_once.request_stop();
    for (auto& it : elections) it.stop(at_once.get_token());
  }
  bool lead() const {
    return std::ranges::all_of(elections, [](auto& it) { return it.is_leader(); });
  }
  bool see() const {
    return std::ranges::all_of(elections, [](auto& it) { return it.current_leader().has_value(); });
  }

  static constexpr std::size_t count = 1000;
  Client client;
  std::vector<Election> elections;
};

}  // namespace

void hand_over(int rounds) {
  PlainRelay plain;
  Relay two(2);
  Relay five(5);
  std::vector<double> by_plain;
  std::vector<double> by_two;
  std::vector<double> by_five;
  for (int i = 0; i < rounds * 16; ++i) {
    by_plain.push_back(plain.hand_over());
    by_two.push_back(two.hand_over());
    by_five.push_back(five.hand_over());
  }
  std::printf("\nA leader stops: until the next is elected\n");
  show("A  hiredis, DEL, RPUSH, BLPOP, SET NX PX", std::move(by_plain));
  show("Tenure, two candidates", std::move(by_two));
  show("Tenure, five candidates", std::move(by_five));
}

void crash_candidate(const std::string& url) {
  Candidate candidate(url, "victim", {.lease = milliseconds(1'000)});
  candidate.election.start();
  while (true) std::this_thread::sleep_for(patience);
}

void crash(int rounds) {
  test::Nodes nodes(1);
  test::RedisServer& server = nodes[0];
  const std::string url = redis::shown(nodes.addresses().front());
  std::vector<double> late;
  for (int i = 0; i < rounds; ++i) {
    test::Process victim({"/proc/self/exe", "--candidate", url});
    const auto shows = [&](const char* owner) {
      return server.command({"GET", key}).text.find(owner) != std::string::npos;
    };
    expect(test::wait_until([&] { return shows("victim"); }, patience), "the victim does not lead");
    Candidate next(url, "next", {.lease = milliseconds(1'000)});
    next.election.start();
    expect(test::wait_until([&] { return nodes.enrolled(key) == 1; }, patience), "nobody waits");
    victim.send(SIGKILL);
    victim.wait();
    const auto now = Clock::now();
    const auto ends = now + milliseconds(server.command({"PTTL", key}).integer);
    late.push_back(ms(next.wait_elected() - ends));
  }
  std::printf("\nA leader is killed: from the end of its lease until the next is elected\n");
  show("Tenure, two candidates", std::move(late));
}

void thousand_elections(int rounds) {
  test::Nodes nodes(1);
  test::RedisServer& server = nodes[0];
  const std::string url = redis::shown(nodes.addresses().front());
  const auto seconds = std::chrono::seconds(std::min(rounds, 15));
  const auto connections = [&] {
    const std::string list = server.command({"CLIENT", "LIST"}).text;
    return std::ranges::count(list, '\n');
  };
  const auto before = connections();
  const auto measure = [&](const char* name) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    const Used from = used(server);
    std::this_thread::sleep_for(seconds);
    const Used to = used(server);
    const double whole = std::chrono::duration<double>(seconds).count();
    std::printf("  %-44s this process %5.2f %%  Redis %5.2f %%  %ld connections\n", name,
                (to.client - from.client) / whole * 100, (to.server - from.server) / whole * 100,
                static_cast<long>(connections() - before));
    std::fflush(stdout);
  };
  std::printf("\n1,000 elections by their default lease, in shares of a core\n");
  const Held leads(url, "leads");
  expect(test::wait_until([&] { return leads.lead(); }, patience), "not all are led");
  measure("Tenure, one client leads all");
  const Held follows(url, "follows");
  expect(test::wait_until([&] { return follows.see(); }, patience), "not all are seen");
  measure("Tenure, and another client follows all");
}

}  // namespace tenure::bench
