#include <csignal>
#include <cstdio>
#include <deque>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <unistd.h>

#include "benches.hpp"
#include "support/nodes.hpp"
#include "support/process.hpp"
#include "support/wait.hpp"
#include "tenure/tenure.hpp"

namespace tenure::bench {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = BootClock;

double in_seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

std::vector<std::string> names(std::size_t count) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back("session-" + std::to_string(i));
  return all;
}

std::unique_ptr<Fleet> fleet_of(Client& client, milliseconds ttl) {
  return client.fleet("poll", {.ttl = ttl}).value();
}

void start(Fleet& fleet) {
  if (const auto joined = fleet.start(); !joined) throw std::runtime_error(joined.error().message);
}

Client client_of(const std::string& url, const std::string& id) {
  ClientOptions options;
  options.nodes = {url};
  options.id = id;
  return Client::open(std::move(options)).value();
}

// Instances in processes of their own, and what Redis shows of their leases.
class Instances {
 public:
  Instances(std::size_t sessions, milliseconds ttl) : sessions_(names(sessions)), ttl_(ttl) {}

  void start() {
    const std::string id = "instance-" + std::to_string(++started_);
    processes_.emplace(id, std::make_unique<test::Process>(std::vector<std::string>{
                               "/proc/self/exe", "--instance", redis::shown(nodes_.addresses().front()), id,
                               std::to_string(sessions_.size()), std::to_string(ttl_.count())}));
  }
  std::string last() const { return processes_.rbegin()->first; }
  void end(const std::string& id, int signal) {
    const auto process = processes_.extract(id);
    process.mapped()->send(signal);
    if (signal == SIGKILL) process.mapped()->wait();
    leaving_.push_back(std::move(process.mapped()));
  }
  std::size_t count() const { return processes_.size(); }

  // By session; nothing where nobody has it.
  std::vector<std::string> owners() {
    std::vector<std::string> owners;
    for (std::size_t from = 0; from < sessions_.size(); from += 1000) {
      std::vector<std::string> command{"MGET"};
      for (std::size_t i = from; i < std::min(from + 1000, sessions_.size()); ++i)
        command.push_back("poll:lease:" + sessions_[i]);
      for (const auto& value : nodes_[0].command(command).items)
        owners.push_back(value.text.substr(0, value.text.find('#')));
    }
    return owners;
  }
  // Does every session have an owner that lives, and each of these within one of the same number?
  bool balanced() {
    std::map<std::string, std::size_t> counts;
    for (const auto& owner : owners()) {
      if (!processes_.contains(owner)) return false;
      counts[owner] += 1;
    }
    const std::size_t fewest = sessions_.size() / processes_.size();
    return counts.size() == processes_.size() && std::ranges::all_of(counts, [&](const auto& it) {
             return it.second >= fewest && it.second <= fewest + (sessions_.size() % processes_.size() != 0);
           });
  }
  // Until then, from now.
  template <class Condition>
  double time_until(Condition condition) {
    const auto begun = Clock::now();
    if (!test::wait_until(condition, seconds(120))) throw std::runtime_error("the fleet does not settle");
    return in_seconds(Clock::now() - begun);
  }
  bool all_owned_by_the_living() {
    return std::ranges::all_of(owners(), [&](const auto& owner) { return processes_.contains(owner); });
  }

  test::RedisServer& server() { return nodes_[0]; }
  std::vector<pid_t> pids() const {
    std::vector<pid_t> all;
    for (const auto& [id, process] : processes_) all.push_back(process->pid());
    return all;
  }

 private:
  test::Nodes nodes_{1};
  std::vector<std::string> sessions_;
  milliseconds ttl_;
  int started_ = 100;
  std::map<std::string, std::unique_ptr<test::Process>> processes_;
  std::deque<std::unique_ptr<test::Process>> leaving_;
};

// User and system time of a process, in seconds.
double used_by(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double megabytes_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  double total = 0;
  double resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

// From the end of the work on a session here to the start of it there.
std::vector<double> gaps(int rounds) {
  std::vector<double> all;
  const test::Nodes nodes(1);
  const std::string url = redis::shown(nodes.addresses().front());
  const auto sessions = names(40);
  for (int round = 0; round < rounds; ++round) {
    std::mutex mutex;
    std::map<std::string, Clock::time_point> ended;
    Client one = client_of(url, "one");
    Client two = client_of(url, "two");
    const auto first = fleet_of(one, seconds(30));
    const auto second = fleet_of(two, seconds(30));
    first->on_event([&](const FleetEvent& event) {
      if (event.kind != FleetEvent::Kind::ending) return;
      {
        const std::lock_guard lock(mutex);
        ended[event.session] = Clock::now();
      }
      first->ended(event.session, event.token);
    });
    second->on_event([&](const FleetEvent& event) {
      const auto now = Clock::now();
      const std::lock_guard lock(mutex);
      if (event.kind == FleetEvent::Kind::acquired && ended.contains(event.session))
        all.push_back(in_seconds(now - ended[event.session]) * 1e3);
      if (event.kind == FleetEvent::Kind::ending) second->ended(event.session, event.token);
    });
    first->share(sessions);
    second->share(sessions);
    start(*first);
    test::wait_until([&] { return first->owned_sessions().size() == sessions.size(); });
    start(*second);
    test::wait_until([&] { return second->owned_sessions().size() == sessions.size() / 2; });
  }
  return all;
}

}  // namespace

void fleet_instance(const std::string& url, const std::string& id, std::size_t sessions, milliseconds ttl) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  Client client = client_of(url, id);
  const auto fleet = fleet_of(client, ttl);
  fleet->share(names(sessions));
  start(*fleet);
  int signal = 0;
  sigwait(&ends, &signal);
  fleet->stop();
}

void fleet(int rounds) {
  const bool quick = rounds < 10;
  {
    const seconds ttl(quick ? 5 : 30);
    std::printf("\nA fleet of 10 instances (processes) and 10,000 sessions, TTL %ld s\n",
                static_cast<long>(ttl.count()));
    Instances all(10'000, ttl);
    for (int i = 0; i < 10; ++i) all.start();
    std::printf("  %-60s %7.2f s   (goal 15)\n",
                "started together, until all are owned and balanced within one",
                all.time_until([&] { return all.balanced(); }));
    std::fflush(stdout);
    const auto before = all.owners();
    all.start();
    const double joined = all.time_until([&] { return all.balanced(); });
    const auto after = all.owners();
    std::size_t moved = 0;
    for (std::size_t i = 0; i < before.size(); ++i) moved += before[i] != after[i] ? 1 : 0;
    std::printf("  %-60s %7.2f s, %zu moved, %.3f of the 1/11 that must   (goal 1.1)\n",
                "one more joins, until balanced", joined, moved,
                static_cast<double>(moved) / (10'000.0 / 11));
    std::fflush(stdout);
    all.end(all.last(), SIGTERM);
    std::printf("  %-60s %7.2f s   (goal 1)\n", "one is stopped, until its sessions are owned again",
                all.time_until([&] { return all.all_owned_by_the_living(); }));
    std::fflush(stdout);
    all.time_until([&] { return all.balanced(); });
    all.end(all.last(), SIGKILL);
    std::printf("  %-60s %7.2f s   (goal %ld)\n", "one is killed, until its sessions are owned again",
                all.time_until([&] { return all.all_owned_by_the_living(); }),
                static_cast<long>(ttl.count() + 1));
    std::fflush(stdout);
  }
  {
    auto measured = gaps(rounds);
    std::ranges::sort(measured);
    const auto at = [&](double share) {
      return measured[static_cast<std::size_t>(share * static_cast<double>(measured.size() - 1))];
    };
    std::printf("\nHand-over: from the end of the work here to its start there\n");
    std::printf("  %-60s p50 %.2f ms  p99 %.2f ms  most %.2f ms  (%zu times; goal 5 and 50)\n",
                "two instances", at(0.5), at(0.99), measured.back(), measured.size());
    std::fflush(stdout);
  }
}

void idle_fleet(int rounds) {
  const bool quick = rounds < 10;
  const std::size_t sessions = quick ? 20'000 : 100'000;
  const seconds watched(quick ? 10 : 30);
  std::printf("\n%zu sessions on 10 instances, TTL 30 s, idle for %ld s, in shares of a core\n", sessions,
              static_cast<long>(watched.count()));
  Instances all(sessions, seconds(30));
  for (int i = 0; i < 10; ++i) all.start();
  const double steady = all.time_until([&] { return all.balanced(); });
  std::this_thread::sleep_for(seconds(20));  // everybody has seen that it is
  std::map<pid_t, double> from;
  for (const pid_t pid : all.pids()) from[pid] = used_by(pid);
  const double redis_from = used_by(all.server().pid());
  std::this_thread::sleep_for(watched);
  const double whole = static_cast<double>(watched.count());
  const double redis = (used_by(all.server().pid()) - redis_from) / whole * 100;
  double most = 0;
  double memory = 0;
  for (const pid_t pid : all.pids()) {
    most = std::max(most, (used_by(pid) - from[pid]) / whole * 100);
    memory = std::max(memory, megabytes_of(pid));
  }
  std::printf("  %-60s %7.2f s\n", "until all are owned and balanced within one", steady);
  std::printf("  %-60s Redis %.2f %% (goal 10)  most of an instance %.2f %% (goal 5), %.0f MB (goal 100)\n",
              "idle", redis, most, memory);
  std::fflush(stdout);
}

}  // namespace tenure::bench
