// Clients of one Lease in worlds made of random numbers: calls are late, lost, or done long after nobody waits for them any more; clients
// crash, stand still, and count time faster or slower; the server's clock is set; and somebody with client-go wants the Lease, too.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <set>

#include "core/base/random.hpp"
#include "core/base/text.hpp"
#include "kubernetes/lease_task.hpp"
#include "unit/kubernetes/fake_api.hpp"

namespace tenure::kubernetes {
namespace {

using namespace std::chrono_literals;
using core::Duration;
using core::Random;

constexpr Duration ttl = 10s;
// As core::Timing has it.
constexpr Duration margin = ttl / 10 + 2ms;
constexpr Duration answer_within = 1s;

// What happens at which moment of the time that nobody in the world knows.
class World {
 public:
  explicit World(std::uint64_t seed) : random(seed) {}

  void at(Duration when, std::function<void()> what) {
    events_.emplace(std::pair(when, ++count_), std::move(what));
  }
  void in(Duration pause, std::function<void()> what) { at(now + pause, std::move(what)); }
  void run(Duration until) {
    while (!events_.empty() && events_.begin()->first.first < until) {
      auto event = events_.extract(events_.begin());
      now = event.key().first;
      server.date = std::chrono::floor<std::chrono::seconds>(now) + 1'795'000'000s + clock_set;
      event.mapped()();
    }
  }
  bool chance(double likely) { return random.fraction() < likely; }

  // Until when somebody believes that it has the Lease. Two must not.
  void believes(const std::string& who, Duration until) {
    for (const auto& [other, its_end] : believed) {
      if (other != who && its_end > now)
        overlaps.push_back(who + " and " + other + " at " + core::to_text(now));
    }
    believed[who] = until;
  }

  Duration now{};
  std::chrono::seconds clock_set{};
  Random random;
  FakeServer server{};
  std::map<std::string, Duration> believed{};
  std::vector<std::string> overlaps{};
  int terms = 0;

 private:
  std::map<std::pair<Duration, std::uint64_t>, std::function<void()>> events_{};
  std::uint64_t count_ = 0;
};

// A call on its way there and back: any part of it may be late or lost.
void travel(World& world, const ApiCall& call, std::function<void(const ApiAnswer&)> told) {
  const auto delay = [&world] {
    return world.chance(0.05) ? world.random.between(1s, 40s) : world.random.between(1ms, 200ms);
  };
  if (world.chance(0.03)) return;
  world.in(delay(), [&world, call, delay, told = std::move(told)] {
    const ApiAnswer answer = world.server.answer(call);
    if (!world.chance(0.03)) world.in(delay(), [told, answer] { told(answer); });
  });
}

class WorldClient : public std::enable_shared_from_this<WorldClient> {
 public:
  WorldClient(World& world, std::string name)
      : world_(world), name_(std::move(name)), rate_(0.955 + world.random.fraction() * 0.09) {}

  void live() {
    if (world_.chance(0.03)) paused_until_ = world_.now + world_.random.between(1s, 30s);
    if (world_.chance(0.01)) crash();
    if (!busy_) act();
    world_.in(world_.random.between(100ms, 1500ms), [self = shared_from_this()] { self->live(); });
  }

 private:
  // Whoever stands still sees the time when it goes on.
  Duration awake() const { return std::max(world_.now, paused_until_); }
  Moment moment() const {
    const auto boot = Duration(static_cast<std::int64_t>(static_cast<double>(world_.now.count()) * rate_));
    return {core::Time(boot + 1h), Micros(1'795'000'000s) + std::chrono::floor<Micros>(boot)};
  }
  bool holds() const { return token_ != 0 && moment().boot < deadline_; }
  void believe(core::Time deadline) {
    deadline_ = std::max(deadline_, deadline);
    const auto left = static_cast<double>((deadline_ - moment().boot).count()) / rate_;
    world_.believes(name_, world_.now + Duration(static_cast<std::int64_t>(left)));
  }
  void let_go() {
    token_ = 0;
    world_.believed.erase(name_);
  }
  void crash() {
    let_go();
    sight_ = {};
    busy_ = 0;
    run_ += 1;
  }

  void act() {
    if (world_.now < paused_until_) return;
    if (!holds()) {
      if (token_ != 0) let_go();
      grant_ = core::Grant(name_, world_.random.next());
      return begin(Take{grant_, ttl});
    }
    if (world_.chance(0.1)) {
      let_go();
      return begin(GiveBack{grant_});
    }
    begin(Renew{grant_, token_, ttl});
  }

  void begin(const Order& order) {
    auto task = std::make_shared<LeaseTask>("a", order);
    const auto id = busy_ = ++last_;
    const core::Time sent = moment().boot;
    go_on(task, task->start(sight_, moment()), sent, id);
    world_.in(answer_within, [self = shared_from_this(), id] {
      if (self->busy_ == id) self->busy_ = 0;
    });
  }
  void go_on(const std::shared_ptr<LeaseTask>& task, const Step& step, core::Time sent, std::uint64_t id) {
    if (const auto* outcome = std::get_if<Outcome>(&step)) return end(*outcome, sent);
    travel(world_, std::get<ApiCall>(step),
           [self = shared_from_this(), task, sent, id, run = run_](const ApiAnswer& answer) {
             self->world_.at(self->awake(), [self, task, sent, id, run, answer] {
               if (self->busy_ != id || self->run_ != run) return;  // given up
               self->go_on(task, task->on_answer(answer, self->sight_, self->moment()), sent, id);
             });
           });
  }
  void end(const Outcome& outcome, core::Time sent) {
    busy_ = 0;
    const core::Time deadline = sent + ttl - margin;
    if (const auto* granted = std::get_if<core::Granted>(&outcome)) {
      if (moment().boot >= deadline) return;
      EXPECT_GT(granted->token, last_token) << name_;
      last_token = granted->token;
      token_ = granted->token;
      deadline_ = deadline;
      world_.terms += 1;
      believe(deadline);
    } else if (const auto* answer = std::get_if<core::KeyAnswer>(&outcome);
               answer != nullptr && token_ != 0) {
      if (*answer != core::KeyAnswer::done) return let_go();
      if (holds()) believe(deadline);
    }
  }

 public:
  static inline core::Token last_token = 0;  // that any of them has heard of

 private:
  World& world_;
  std::string name_;
  double rate_;
  Sight sight_{"ns", {}};
  core::Grant grant_{};
  core::Token token_ = 0;
  core::Time deadline_{};
  Duration paused_until_{};
  std::uint64_t busy_ = 0;
  std::uint64_t last_ = 0;
  int run_ = 0;
};

// As client-go does it, at its best: what it has seen unchanged for its own length it takes, and it stops long before that.
void live_as_client_go(World& world, std::string seen, Duration since) {
  std::string now = world.server.lease ? json::serialize(world.server.lease->at("spec")) : "";
  const bool ours = now.find("\"go\"") != std::string::npos;
  if (now != seen) since = world.now;
  const bool free = now.find(R"("holderIdentity":"")") != std::string::npos;
  const auto write = [&](const std::string& holder) {
    world.server.other_writes(holder, 10,
                              micro_time(Micros(1'795'000'000s) + std::chrono::floor<Micros>(world.now)));
    now = json::serialize(world.server.lease->at("spec"));
    since = world.now;
  };
  if (ours && world.chance(0.2)) {
    world.believed.erase("go");
    if (world.chance(0.5)) write("");
  } else if (ours && world.believed.contains("go")) {
    write("go");
    world.believes("go", world.now + 6s);
  } else if (!now.empty() && (free || world.now - since >= ttl) && world.chance(0.5)) {
    write("go");
    world.believes("go", world.now + 6s);
    world.terms += 1;
  }
  const Duration pause = world.random.between(1s, 3s);
  world.in(pause, [&world, now, since] { live_as_client_go(world, now, since); });
}

TEST(LeaseWorlds, NoTwoBelieveThatTheyHaveItAndTokensGrow) {
  int terms = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    World world(seed);
    WorldClient::last_token = 0;
    std::vector<std::shared_ptr<WorldClient>> clients;
    for (const auto* name : {"web-1", "web-2", "web-3"})
      clients.push_back(std::make_shared<WorldClient>(world, name));
    for (const auto& it : clients) world.in(1ms, [it] { it->live(); });
    if (seed % 3 == 0) world.in(5s, [&world] { live_as_client_go(world, "", {}); });
    if (seed % 2 == 0) {
      for (int i = 1; i < 10; ++i)
        world.at(i * 30s,
                 [&world] { world.clock_set = std::chrono::seconds(world.random.below(7200)) - 3600s; });
    }
    world.run(300s);
    for (const auto& it : world.overlaps) ADD_FAILURE() << "seed " << seed << ": " << it;
    if (::testing::Test::HasFailure()) return;
    terms += world.terms;
  }
  EXPECT_GT(terms, 3'000) << "too little has happened to say anything";
}

}  // namespace
}  // namespace tenure::kubernetes
