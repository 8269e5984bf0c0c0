#include "faults/run.hpp"
#include "support/paths.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <thread>
#include <tuple>

#include "faults/injector.hpp"
#include "faults/liveness.hpp"
#include "faults/results_watch.hpp"
#include "faults/schedule.hpp"
#include "faults/stalls.hpp"
#include "faults/visit_judge.hpp"
#include "faults/world.hpp"
#include "runtime/boot_clock.hpp"

namespace tenure::faults {

namespace {

using namespace std::chrono_literals;
using core::Duration;
using core::Time;
using runtime::boot_now;

// On a machine that has much else to do.
constexpr auto start_max = 60s;
constexpr auto calm_max = 60s;
constexpr auto tick = 5ms;
constexpr auto progress_every = 5s;
constexpr auto liveness_every = 250ms;
constexpr auto mistake_every = 3s;

class Run {
 public:
  Run(const RunOptions& options, Journal& journal)
      : options_(options),
        journal_(journal),
        world_({options.crowd, options.program, options.seed}, journal),
        injector_(world_, journal) {
    const Crowd& crowd = world_.crowd();
    if (crowd.instances > 0) results_.emplace(world_.node(crowd.data()).results(world_.sessions()));
    for (const Fault& fault : make_schedule(options.seed, options.length, crowd)) {
      steps_.push_back({fault.at, fault, true});
      steps_.push_back({fault.end(), fault, false});
    }
    std::ranges::sort(steps_, {}, [](const Step& it) { return std::tuple(it.at, it.fault.id, !it.begins); });
  }

  Report report() {
    wait_for_life(boot_now(), start_max);
    if (interrupted()) return judged();
    if (!alive_after_) throw std::runtime_error("without any fault: " + missing_);
    alive_after_.reset();
    begun_ = boot_now();
    journal_.begin(begun_);
    while (!interrupted() && boot_now() < begun_ + options_.length - calm_end) {
      take_steps();
      make_mistakes();
      turn();
    }
    take_steps();
    const Time calm = boot_now();
    journal_.note("calm");
    wait_for_life(calm, calm_max);
    while (!interrupted() && boot_now() < begun_ + options_.length) turn();
    return judged();
  }

 private:
  struct Step {
    Duration at{};
    Fault fault{};
    bool begins = true;
  };

  bool interrupted() const { return options_.interrupted != nullptr && *options_.interrupted; }

  void take_steps() {
    for (; next_ < steps_.size() && begun_ + steps_[next_].at <= boot_now(); ++next_) {
      const Step& step = steps_[next_];
      if (step.begins) {
        injector_.begin(step.fault);
      } else {
        injector_.end(step.fault);
      }
    }
  }

  void turn() {
    world_.look();
    if (boot_now() >= told_ + progress_every && begun_ != core::long_ago) {
      told_ = boot_now();
      std::fprintf(stderr, "%s\n", progress(judged(), told_ - begun_).c_str());
    }
    std::this_thread::sleep_for(tick);
  }

  void wait_for_life(Time since, Duration at_most) {
    while (!interrupted() && boot_now() < since + at_most) {
      if (const auto what = missing(world_, since)) {
        missing_ = *what;
      } else {
        alive_after_ = boot_now() - since;
        return;
      }
      for (const Time look = boot_now() + liveness_every; boot_now() < look;) turn();
    }
  }

  // A process that writes with what its lease left it, after the lease has passed on.
  void make_mistakes() {
    if (!options_.mistake || boot_now() < erred_ + mistake_every) return;
    const auto token = world_.writes().earlier_token(short_job);
    if (token == 0) return;
    erred_ = boot_now();
    journal_.note("a process writes with token " + std::to_string(token) + ", which has passed on");
    survivor_ = std::make_unique<test::Process>(
        std::vector<std::string>{test::paths::fenced_writer, world_.writes().socket_path(), "survivor", "50"},
        test::Process::Options{
            .environment = {"TENURE_NAME=" + short_job, "TENURE_TOKEN=" + std::to_string(token)}});
  }

  Report judged() const {
    Report report;
    report.seed = options_.seed;
    report.length = options_.length;
    report.crowd = world_.crowd();
    report.faults = injector_.counts();
    auto verdicts = judge(world_.writes().terms(), injector_.stops());
    report.short_locks = std::move(verdicts[short_job]);
    report.long_locks = std::move(verdicts[long_job]);
    report.terms = std::move(verdicts[leadership]);
    report.sessions = judge(world_.target().visits(), injector_.stops(), boot_now());
    if (results_) {
      report.looks_at_results = results_->looks();
      report.results_went_back = results_->went_back();
    }
    report.alive_after = alive_after_;
    if (!interrupted()) report.missing = missing_;
    report.longest_stall = stalls_.longest();
    return report;
  }

  const RunOptions& options_;
  Journal& journal_;
  World world_;
  Injector injector_;
  std::optional<ResultsWatch> results_;  // where there are any
  Stalls stalls_;
  std::vector<Step> steps_;
  std::size_t next_ = 0;
  Time begun_ = core::long_ago;
  Time told_ = core::Time{};
  Time erred_ = core::Time{};
  std::optional<Duration> alive_after_;
  std::string missing_;
  std::unique_ptr<test::Process> survivor_;
};

}  // namespace

Report run(const RunOptions& options, Journal& journal) { return Run(options, journal).report(); }

}  // namespace tenure::faults
