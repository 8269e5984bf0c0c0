// Polls by commands: one thread starts them, reads what they say, and ends those that must.
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "core/text.hpp"
#include "poll/runner.hpp"
#include "poll/shell.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/event_descriptor.hpp"

namespace tenure::poll {

namespace {

using runtime::boot_now;

// From SIGKILL to the last sign of life, on a machine that has much else to do.
constexpr Milliseconds killing_takes{100};

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
        environment_(inherited_environment()),
        kick_(runtime::make_event_descriptor()) {
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
        if (stopping) {
          done_(task->id, {PollEnd::How::aborted});
        } else {
          start(*task);
        }
      } else if (const auto found = runs_.find(std::get<Abort>(order).id); found != runs_.end()) {
        abort(found->second, std::get<Abort>(order).by);
      }
    }
  }

  void start(const Task& task) {
    if (!task.may_begin()) {
      done_(task.id, {PollEnd::How::not_begun});
      return;
    }
    auto environment = environment_;
    environment.push_back("TENURE_SESSION=" + task.session.id);
    environment.push_back("TENURE_ADDRESS=" + task.session.address);
    environment.push_back("TENURE_TOKEN=" + std::to_string(task.lease.token));
    environment.push_back("TENURE_INSTANCE=" + task.lease.owner);
    auto shell = Shell::start(work_.command, environment);
    if (!shell) {
      done_(task.id,
            {PollEnd::How::finished,
             {.error = "the command cannot be started: " + std::generic_category().message(shell.error())}});
      return;
    }
    runs_.emplace(task.id, Run{std::move(*shell), boot_now()});
  }

  void abort(Run& run, core::Time by) {
    run.aborted = true;
    tell_to_end(run, by - killing_takes);
  }

  // Again is harmless: it may only be sooner.
  void tell_to_end(Run& run, core::Time kill_by) {
    const core::Time now = boot_now();
    const core::Time kill_at = std::min(kill_by, now + work_.kill_after);
    if (!run.kill_at) run.shell.signal(SIGTERM);
    run.kill_at = run.kill_at ? std::min(*run.kill_at, kill_at) : kill_at;
  }

  void end_overdue() {
    const core::Time now = boot_now();
    for (auto& [id, run] : runs_) {
      if (!run.kill_at && now >= run.began + work_.timeout) {
        run.why = "the command took longer than " + core::shown(work_.timeout);
        tell_to_end(run, core::Time::max());
      }
      if (run.kill_at && now >= *run.kill_at) run.shell.signal(SIGKILL);
    }
  }

  void wait() {
    // Now and then by itself: poll does not count while the machine sleeps.
    core::Time wake = boot_now() + std::chrono::seconds(1);
    std::vector<pollfd> waits{{kick_.get(), POLLIN, 0}};
    for (const auto& [id, run] : runs_) {
      wake = std::min(wake, run.kill_at.value_or(run.began + work_.timeout));
      waits.push_back({run.shell.end_fd(), POLLIN, 0});
      if (run.shell.out_fd() >= 0) waits.push_back({run.shell.out_fd(), POLLIN, 0});
    }
    const auto left = std::chrono::ceil<Milliseconds>(wake - boot_now());
    // Those that were killed are gone in a moment; until then there is no hurry.
    ::poll(waits.data(), waits.size(), static_cast<int>(std::max<Milliseconds::rep>(left.count(), 1)));
    eventfd_t ignored = 0;
    eventfd_read(kick_.get(), &ignored);
  }

  // True: it has ended.
  bool progress(Run& run) {
    pollfd end{run.shell.end_fd(), POLLIN, 0};
    // In this order: what it said last is in the pipe when it has ended.
    const bool ended = ::poll(&end, 1, 0) > 0;
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
    PollEnd end{run.aborted ? PollEnd::How::aborted : PollEnd::How::finished};
    const int code = run.shell.reap();
    end.took = std::chrono::ceil<Milliseconds>(boot_now() - run.began);
    if (!run.aborted) {
      end.outcome.status = code;
      end.outcome.error = !run.why.empty() ? run.why
                          : code == 0      ? ""
                                           : "the command ended with " + std::to_string(code);
      end.outcome.ok = end.outcome.error.empty();
      end.outcome.body = std::move(run.body);
    }
    const PollId id = it->first;
    runs_.erase(it);
    done_(id, std::move(end));
  }

  const CommandPoll work_;
  const Done done_;
  const std::vector<std::string> environment_;
  const runtime::Descriptor kick_;
  std::mutex mutex_;
  std::vector<Order> orders_;
  Runs runs_;  // of the thread alone
  std::jthread thread_;
};

}  // namespace

std::unique_ptr<Runner> make_runner(CommandPoll work, Runner::Done done) {
  return std::make_unique<CommandRunner>(std::move(work), std::move(done));
}

}  // namespace tenure::poll
