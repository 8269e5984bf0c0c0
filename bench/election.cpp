#include <algorithm>
#include <atomic>
#include <csignal>
#include <deque>
#include <latch>
#include <thread>

#include "benches.hpp"
#include "client_of.hpp"
#include "cores.hpp"
#include "floor.hpp"
#include "measure.hpp"
#include "stage.hpp"
#include "support/process.hpp"
#include "support/wait.hpp"
#include "usage.hpp"

namespace tenure::bench {

namespace {

using std::chrono::milliseconds;
using Clock = BootClock;

constexpr auto key = "bench:leader";
constexpr auto patience = std::chrono::seconds(30);

double in_seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

// One of several candidates, each with a client of its own.
struct Candidate {
  Candidate(const std::string& url, const std::string& id, const ElectionOptions& options)
      : client(client_of({url}, id)), election(client.election(key, options).value()) {
    election.on_elected([this](const Lease&) { elected_at = Clock::now().time_since_epoch(); });
  }
  void start() { expect(election.start().has_value(), "an election cannot be started"); }
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
      all_.emplace_back(url_of(nodes_), "web-" + std::to_string(i), ElectionOptions{});
    }
    for (auto& it : all_) it.start();
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
    leader.start();
    return in_seconds(Clock::time_point(next->elected_at.load()) - begun);
  }

 private:
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

  test::Nodes nodes_ = start_nodes(1);
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
    return in_seconds(taken - begun);
  }

 private:
  std::int64_t blocked() {
    const std::string info = nodes_[0].command({"INFO", "clients"}).text;
    const std::string field = "blocked_clients:";
    return std::stoll(info.substr(info.find(field) + field.size()));
  }

  test::Nodes nodes_ = start_nodes(1);
  Floor holder_{nodes_[0].socket_path()};
  Floor waiter_{nodes_[0].socket_path()};
};

struct Held {
  explicit Held(const std::string& url, const std::string& id) : client(client_of({url}, id)) {
    for (std::size_t i = 0; i < count; ++i) {
      elections.push_back(client.election("bench:" + std::to_string(i)).value());
      expect(elections.back().start().has_value(), "an election cannot be started");
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

Rows election_hand_over(Stage& stage) {
  PlainRelay plain;
  Relay two(2);
  Relay five(5);
  std::vector<double> by_plain;
  std::vector<double> by_two;
  std::vector<double> by_five;
  for (int i = 0; i < stage.rounds() * 10; ++i) {
    by_plain.push_back(plain.hand_over());
    by_two.push_back(two.hand_over());
    by_five.push_back(five.hand_over());
  }
  Row row{"elect", "A leader stops, until the next is elected",
          "From the call of stop() to the call of the next leader's handler, on a thread of its own. The "
          "floor is one that deletes the key and pushes a word, and one that waits for it by BLPOP and sets "
          "the key.",
          "p50"};
  row.entries = {{"A  BLPOP, SET NX PX", Kind::floor, latencies(by_plain)},
                 {"Tenure, two candidates", Kind::tenure, latencies(by_two)},
                 {"Tenure, five candidates", Kind::tenure, latencies(by_five)}};
  return {row};
}

void crash_candidate(const std::string& url) {
  Candidate candidate(url, "victim", {.lease = milliseconds(1'000)});
  candidate.start();
  while (true) std::this_thread::sleep_for(patience);
}

Rows crash(Stage& stage) {
  test::Nodes nodes = start_nodes(1);
  test::RedisServer& server = nodes[0];
  const std::string url = url_of(nodes);
  std::vector<double> late;
  for (int i = 0; i < (stage.quick() ? 3 : 10); ++i) {
    test::Process victim({"/proc/self/exe", "--candidate", url});
    const auto shows = [&](const char* owner) {
      return server.command({"GET", key}).text.find(owner) != std::string::npos;
    };
    expect(test::wait_until([&] { return shows("victim"); }, patience), "the victim does not lead");
    Candidate next(url, "next", {.lease = milliseconds(1'000)});
    next.start();
    expect(test::wait_until([&] { return nodes.enrolled(key) == 1; }, patience), "nobody waits");
    victim.send(SIGKILL);
    victim.wait();
    const auto now = Clock::now();
    const auto ends = now + milliseconds(server.command({"PTTL", key}).integer);
    late.push_back(in_seconds(next.wait_elected() - ends));
  }
  Row row{"crash", "A leader is killed: from the end of its lease until the next is elected",
          "A leader with a lease of a second gets SIGKILL while another waits. Nobody may lead before the "
          "lease has ended."};
  row.entries = {{"Tenure, two candidates", Kind::tenure, latencies(late)}};
  return {row};
}

Rows thousand_elections(Stage& stage) {
  test::Nodes nodes = start_nodes(1);
  test::RedisServer& server = nodes[0];
  const std::string url = url_of(nodes);
  const auto watched = std::chrono::seconds(stage.quick() ? 5 : 15);
  const auto connections = [&] {
    const std::string list = server.command({"CLIENT", "LIST"}).text;
    return static_cast<double>(std::ranges::count(list, '\n'));
  };
  const auto before = connections();
  const auto idle = [&](const char* name) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    const double client = cpu_of_this_process();
    const double redis = usage_of(server).cpu;
    std::this_thread::sleep_for(watched);
    const double share = 100 / in_seconds(watched);
    return Entry{name,
                 Kind::tenure,
                 {{"clients", (cpu_of_this_process() - client) * share, Unit::percent},
                  {"Redis", (usage_of(server).cpu - redis) * share, Unit::percent},
                  {"connections", connections() - before, Unit::count}}};
  };
  Row row{"elections", "What 1,000 elections cost while nothing happens",
          "By their default lease of 15 s, in shares of a core. The second line is both clients together."};
  const Held leads(url, "leads");
  expect(test::wait_until([&] { return leads.lead(); }, patience), "not all are led");
  row.entries.push_back(idle("Tenure, one client leads all"));
  const Held follows(url, "follows");
  expect(test::wait_until([&] { return follows.see(); }, patience), "not all are seen");
  row.entries.push_back(idle("Tenure, and another client follows all"));
  return {row};
}

}  // namespace tenure::bench
