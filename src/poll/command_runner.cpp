// Polls by commands: one thread starts them, reads what they say, and ends those that must.
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/text.hpp"
#include "poll/launcher.hpp"
#include "poll/runner.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/net/event_descriptor.hpp"

namespace tenure::poll {

namespace {

using runtime::boot_now;

// From SIGKILL to the last sign of life, on a machine that has much else to do.
constexpr Milliseconds killing_takes{100};
// A watchdog kills a little later than we let it kill ourselves.
constexpr Milliseconds watchdog_needs = killing_takes / 2;
// A lease that is not renewed is asked for again, so often at most.
constexpr Milliseconds ask_again{50};

// The names are ours, whatever the application's environment says.
std::vector<std::string> inherited_environment() {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const auto name = text.substr(0, text.find('='));
    if (name != "TENURE_SESSION" && name != "TENURE_ADDRESS" && name != "TENURE_TOKEN" &&
        name != "TENURE_INSTANCE") {
      all.emplace_back(text);
    }
  }
  return all;
}

class CommandRunner : public Runner {
 public:
  CommandRunner(CommandPoll work, Done done)
      : work_(std::move(work)),
        done_(std::move(done)),
        kick_(runtime::make_event_descriptor()),
        launcher_(work_.command, inherited_environment()) {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }
  ~CommandRunner() override {
    thread_.request_stop();
    eventfd_write(kick_.get(), 1);
    thread_.join();
  }

  std::size_t in_flight_max() const override { return work_.in_flight_max; }
  Milliseconds abort_takes() const override { return work_.kill_after + 2 * killing_takes; }
  void begin(Task task) override { order(std::move(task)); }
  void abort(PollId id, core::Time by) override { order(Abort{id, by}); }

 private:
  struct Abort {
    PollId id{};
    core::Time by{};
  };
  using Order = std::variant<Task, Abort>;

  struct Run {
    Shell shell;
    core::Time began;
    std::function<std::optional<core::Time>()> deadline{};
    core::Time guarded = core::Time::max();  // the deadline that its watchdog knows
    core::Time ask_at = core::Time::max();   // whether there is a later one
    std::string body{};
    std::optional<core::Time> kill_at{};  // it was told to end
    bool aborted = false;
    std::string why{};  // it was told to end for this
  };
  using Runs = std::map<PollId, Run>;

  void order(Order order) {
    {
      const std::lock_guard lock(mutex_);
      orders_.push_back(std::move(order));
    }
    eventfd_write(kick_.get(), 1);
  }

  void run(const std::stop_token& stop) {
    bool stopping = false;
    while (true) {
      if (!stopping && stop.stop_requested()) {
        stopping = true;
        for (auto& [id, run] : runs_) abort(run, boot_now() + work_.kill_after);
      }
      obey(stopping);
      if (stopping && runs_.empty()) return;
      end_overdue();
      guard_anew();
      launcher_.tend();
      wait();
      for (auto it = runs_.begin(); it != runs_.end();) {
        const auto next = std::next(it);
        if (progress(it->second)) end(it);
        it = next;
      }
    }
  }

  void obey(bool stopping) {
    std::vector<Order> orders;
    {
      const std::lock_guard lock(mutex_);
      orders.swap(orders_);
    }
    for (auto& order : orders) {
      if (auto* task = std::get_if<Task>(&order)) {
        tasks_.push_back(std::move(*task));
      } else {
        const auto& [id, by] = std::get<Abort>(order);
        if (const auto found = runs_.find(id); found != runs_.end()) abort(found->second, by);
        if (std::erase_if(tasks_, [&](const Task& it) { return it.id == id; }) > 0) {
          done_(id, {PollEnd::How::aborted});
        }
      }
    }
    while (!tasks_.empty() && (stopping || !launcher_.is_busy())) {
      const Task task = std::move(tasks_.front());
      tasks_.pop_front();
      if (stopping) {
        done_(task.id, {PollEnd::How::aborted});
      } else {
        start(task);
      }
    }
  }

  void start(const Task& task) {
    // Read before the question whether it may begin: a lease that is over by then has no deadline any more, and the
    // command would have no end.
    const core::Time deadline = (task.deadline ? task.deadline() : std::nullopt).value_or(core::Time::max());
    if (!task.may_begin()) {
      done_(task.id, {PollEnd::How::not_begun});
      return;
    }
    const core::Time now = boot_now();
    auto shell = launcher_.start(
        {"TENURE_SESSION=" + task.session.id, "TENURE_ADDRESS=" + task.session.address,
         "TENURE_TOKEN=" + std::to_string(task.lease.token), "TENURE_INSTANCE=" + task.lease.owner},
        watchdog_kills_at(deadline));
    if (!shell) {
      done_(task.id, {PollEnd::How::finished, {.error = not_started(shell.error())}});
      return;
    }
    Run run{std::move(*shell), now, task.deadline, deadline};
    if (deadline != core::Time::max()) run.ask_at = halfway(now, deadline);
    runs_.emplace(task.id, std::move(run));
  }

  static std::string not_started(int error) {
    return "the command cannot be started: " + std::generic_category().message(error);
  }

  static core::Time watchdog_kills_at(core::Time deadline) {
    return deadline == core::Time::max() ? deadline : deadline - watchdog_needs;
  }
  // By then the lease has been renewed, if all is well.
  static core::Time halfway(core::Time now, core::Time deadline) {
    return now + std::max<core::Duration>((deadline - now) / 2, ask_again);
  }

  // Tells watchdogs of leases that were renewed.
  void guard_anew() {
    const core::Time now = boot_now();
    for (auto& [id, run] : runs_) {
      if (now < run.ask_at) continue;
      const core::Time deadline = run.deadline().value_or(run.guarded);
      if (deadline != run.guarded) run.shell.guard(watchdog_kills_at(deadline));
      run.guarded = deadline;
      run.ask_at = halfway(now, deadline);
    }
  }

  void abort(Run& run, core::Time by) {
    run.aborted = true;
    tell_to_end(run, by - killing_takes);
  }

  // Again is harmless: it may only be sooner.
  void tell_to_end(Run& run, core::Time kill_by) {
    const core::Time now = boot_now();
    const core::Time kill_at = std::min(kill_by, now + work_.kill_after);
    if (run.kill_at && kill_at >= *run.kill_at) return;
    run.shell.tell_to_end(kill_at);
    run.kill_at = kill_at;
  }

  void end_overdue() {
    const core::Time now = boot_now();
    for (auto& [id, run] : runs_) {
      if (!run.kill_at && now >= run.began + work_.timeout) {
        run.why = "the command took longer than " + core::to_text(work_.timeout);
        tell_to_end(run, core::Time::max());
      }
    }
  }

  void wait() {
    // Now and then by itself: poll does not count while the machine sleeps.
    core::Time wake = boot_now() + std::chrono::seconds(1);
    std::vector<pollfd> waits{{kick_.get(), POLLIN, 0}};
    for (const auto& [id, run] : runs_) {
      wake = std::min(wake, run.ask_at);
      if (!run.kill_at) wake = std::min<core::Time>(wake, run.began + work_.timeout);
      waits.push_back({run.shell.end_fd(), POLLIN, 0});
      if (run.shell.out_fd() >= 0) waits.push_back({run.shell.out_fd(), POLLIN, 0});
    }
    if (!tasks_.empty()) waits.push_back({launcher_.fd(), POLLOUT, 0});
    const auto left = std::chrono::ceil<Milliseconds>(wake - boot_now());
    ::poll(waits.data(), waits.size(), static_cast<int>(std::max<Milliseconds::rep>(left.count(), 1)));
    eventfd_t ignored = 0;
    eventfd_read(kick_.get(), &ignored);
  }

  // True: it has ended.
  bool progress(Run& run) {
    // In this order: what it said last is in the pipe when it has ended.
    const bool ended = run.shell.has_ended();
    std::array<char, 65'536> block{};
    while (run.shell.out_fd() >= 0) {
      const auto got = ::read(run.shell.out_fd(), block.data(), block.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) break;
      const auto length = static_cast<std::size_t>(std::max<ssize_t>(got, 0));
      const bool too_long = length > work_.body_max - run.body.size();
      if (got <= 0 || too_long) run.shell.close_out();
      if (!too_long) {
        run.body.append(block.data(), length);
      } else {
        run.why = "the output is longer than " + std::to_string(work_.body_max) + " bytes";
        tell_to_end(run, core::Time::max());
      }
    }
    return ended;
  }

  void end(Runs::iterator it) {
    Run& run = it->second;
    using Kind = CommandReport::Kind;
    // No report: its watchdog was killed, and so was everything below it.
    const auto report = run.shell.report().value_or(CommandReport{Kind::ended, 128 + SIGKILL});
    const bool too_late = report.kind == Kind::not_started && report.number == ETIME;
    PollEnd end{run.aborted || too_late ? PollEnd::How::aborted : PollEnd::How::finished};
    end.took = std::chrono::ceil<Milliseconds>(boot_now() - run.began);
    if (end.how == PollEnd::How::finished) {
      if (report.kind != Kind::not_started) end.outcome.status = report.number;
      end.outcome.error = error_of(run, report);
      end.outcome.ok = end.outcome.error.empty();
      end.outcome.body = std::move(run.body);
    }
    const PollId id = it->first;
    runs_.erase(it);
    done_(id, std::move(end));
  }

  static std::string error_of(const Run& run, const CommandReport& report) {
    if (!run.shell.report()) return "the watchdog of the command was killed; so the command was killed, too";
    if (report.kind == CommandReport::Kind::not_started) return not_started(report.number);
    if (!run.why.empty()) return run.why;
    if (report.kind == CommandReport::Kind::late) {
      return "the poller did not act in time (stopped, or held up): the command was killed before its lease "
             "ends";
    }
    return report.number == 0 ? "" : "the command ended with " + std::to_string(report.number);
  }

  const CommandPoll work_;
  const Done done_;
  const runtime::Descriptor kick_;
  std::mutex mutex_;
  std::vector<Order> orders_;
  // Of the thread alone.
  Launcher launcher_;
  std::deque<Task> tasks_;  // to be started
  Runs runs_;
  std::jthread thread_;
};

}  // namespace

std::unique_ptr<Runner> make_runner(CommandPoll work, Runner::Done done) {
  return std::make_unique<CommandRunner>(std::move(work), std::move(done));
}

}  // namespace tenure::poll
