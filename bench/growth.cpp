// What Redis pays for a fleet as it grows: at rest, for a join, for a leave, and for a start together.
#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

#include "benches.hpp"
#include "cores.hpp"
#include "instances.hpp"
#include "owned_counts.hpp"
#include "stage.hpp"
#include "support/directory.hpp"
#include "usage.hpp"

namespace tenure::bench {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds ttl(30);
constexpr seconds beat_interval(10);
// A hundred instances share a core, so that an answer may be read late.
constexpr seconds node_timeout(8);
constexpr seconds settles(12);  // everybody has beaten once more, and acted on what it heard

// Instances by the dozen: many share a process, because a process for each would take more memory than there is.
class Throng {
 public:
  Throng(std::size_t instances, std::size_t sessions)
      : sessions_(sessions), counts_(file(), instances), alive_(instances, false) {}

  void start(std::size_t first, std::size_t count) {
    processes_[first] = std::make_unique<test::Process>(std::vector<std::string>{
        "/proc/self/exe", "--instances", url_of(nodes_), std::to_string(first), std::to_string(count),
        std::to_string(sessions_), std::to_string(alive_.size()), file()});
    std::fill_n(alive_.begin() + static_cast<std::ptrdiff_t>(first), count, true);
  }
  void end_last() {
    const auto last = std::prev(processes_.end());
    std::fill(alive_.begin() + static_cast<std::ptrdiff_t>(last->first), alive_.end(), false);
    last->second->send(SIGTERM);
    leaving_.push_back(std::move(last->second));
    processes_.erase(last);
  }
  bool balanced() const {
    const auto living = static_cast<std::int64_t>(std::ranges::count(alive_, true));
    const auto all = static_cast<std::int64_t>(sessions_);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < alive_.size(); ++i) {
      const std::int64_t has = counts_.all()[i].load();
      if (!alive_[i]) continue;
      if (has < all / living || has > (all + living - 1) / living) return false;
      sum += has;
    }
    return sum == all;
  }
  RedisUsage usage() { return usage_of(nodes_[0]); }

 private:
  std::string file() const { return (directory_.path() / "owned").string(); }

  test::Nodes nodes_ = start_nodes(1);
  test::Directory directory_{"growth"};
  std::size_t sessions_;
  OwnedCounts counts_;
  std::vector<bool> alive_;
  std::map<std::size_t, std::unique_ptr<test::Process>> processes_;  // by their first instance
  std::vector<std::unique_ptr<test::Process>> leaving_;
};

// What something costs until everybody has settled after it, beyond what the same time costs at rest.
struct Cost {
  double seconds = 0;  // until every session has its owner
  RedisUsage more{};
};

Cost cost_until_balanced(Throng& throng, const RedisUsage& rest, const std::function<void()>& event) {
  const auto from = throng.usage();
  const auto begun = BootClock::now();
  const auto passed = [&] { return std::chrono::duration<double>(BootClock::now() - begun).count(); };
  event();
  if (!test::wait_until([&] { return throng.balanced(); }, seconds(300)))
    throw std::runtime_error("the fleet does not settle");
  Cost cost{passed()};
  std::this_thread::sleep_for(settles);
  const double intervals = passed() / std::chrono::duration<double>(beat_interval).count();
  const auto used = throng.usage() - from;
  cost.more = {std::max(0.0, used.cpu - rest.cpu * intervals),
               std::max(0.0, used.bytes - rest.bytes * intervals)};
  return cost;
}

Entry entry_of(const std::string& name, const Cost& cost) {
  return {name,
          Kind::tenure,
          {{"until balanced", cost.seconds},
           {"Redis", cost.more.cpu},
           {"bytes", cost.more.bytes / 1e6, Unit::megabytes}}};
}

void measure(std::size_t instances, std::size_t sessions, Row& row) {
  constexpr std::size_t processes = 4;
  const std::string size = std::to_string(instances) + " × " + std::to_string(sessions);
  Throng throng(instances + 1, sessions);
  const Cost together = cost_until_balanced(throng, {}, [&] {
    for (std::size_t i = 0; i < processes; ++i) {
      const std::size_t first = instances * i / processes;
      throng.start(first, instances * (i + 1) / processes - first);
    }
  });
  std::this_thread::sleep_for(settles);
  const auto from = throng.usage();
  std::this_thread::sleep_for(beat_interval);
  const auto rest = throng.usage() - from;
  const Cost join = cost_until_balanced(throng, rest, [&] { throng.start(instances, 1); });
  const Cost leave = cost_until_balanced(throng, rest, [&] { throng.end_last(); });
  row.entries.push_back(entry_of(size + ": started together", together));
  row.entries.push_back({size + ": 10 s at rest",
                         Kind::tenure,
                         {{"Redis", rest.cpu}, {"bytes", rest.bytes / 1e6, Unit::megabytes}}});
  row.entries.push_back(entry_of(size + ": one more joins", join));
  row.entries.push_back(entry_of(size + ": it leaves", leave));
  if (instances == 100 && sessions == 100'000)
    row.goals.push_back(
        {"Redis time of a join, " + size, join.more.cpu, Goal::Side::at_most, 3, Unit::seconds});
}

}  // namespace

void fleet_instances(const std::string& url, std::size_t first, std::size_t count, std::size_t sessions,
                     std::size_t of, const std::string& file) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  const OwnedCounts counts(file, of);
  const auto names = session_names(sessions);
  std::vector<std::jthread> threads;
  for (std::size_t i = first; i < first + count; ++i) {
    threads.emplace_back([&, i](const std::stop_token& stop) {
      Client client = client_of({url}, "instance-" + std::to_string(1000 + i));
      const auto fleet = client.fleet("poll", {.ttl = ttl, .node_timeout = node_timeout}).value();
      auto& owned = counts.all()[i];
      fleet->on_event([&](const FleetEvent& event) {
        if (event.kind == FleetEvent::Kind::acquired) owned += 1;
        if (event.kind != FleetEvent::Kind::ending) return;
        owned -= 1;
        fleet->ended(event.session, event.token);
      });
      fleet->share(names);
      while (!stop.stop_requested() && !fleet->start()) {
        std::cerr << "instance " << i << " was refused\n";
      }
      std::mutex mutex;
      std::unique_lock lock(mutex);
      std::condition_variable_any stopped;
      stopped.wait(lock, stop, [] { return false; });
      fleet->stop();
    });
  }
  int signal = 0;
  sigwait(&ends, &signal);
  for (auto& thread : threads) thread.request_stop();
}

Rows growth(Stage& stage) {
  Row row{"growth", "What Redis pays for a fleet as it grows",
          "Instances × sessions, by the default TTL of 30 s; four processes have all of them. Redis is its "
          "processor time, and bytes "
          "what it received and sent. A change counts until a heartbeat interval after every session has its "
          "owner, "
          "less what the same time costs at rest (renewals and heartbeats)."};
  for (const std::size_t instances : {10U, 30U, 100U}) {
    for (const std::size_t sessions : {1'000U, 10'000U, 100'000U}) {
      if (!stage.quick() || (instances == 10 && sessions == 1'000)) measure(instances, sessions, row);
    }
  }
  return {row};
}

}  // namespace tenure::bench
