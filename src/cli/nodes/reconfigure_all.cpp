#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <thread>
#include <vector>

#include "cli/ask_person.hpp"
#include "cli/message.hpp"
#include "cli/nodes/reconfigure_nodes.hpp"
#include "core/base/text.hpp"
#include "core/lease/reconfiguration.hpp"
#include "core/nodes.hpp"
#include "redis/text/nodes.hpp"
#include "runtime/boot_clock.hpp"

namespace tenure::cli {

namespace {

using core::Failure;
using core::Reconfiguration;

// Records that change under our hands are read again; not for ever, if two people do this at once.
constexpr int plans_max = 5;
constexpr std::string_view broken_off =
    "broken off: where nodes are closed nobody gets a lease until this command is run again";

std::string in_seconds(core::Duration length) {
  return core::to_text(std::chrono::ceil<std::chrono::seconds>(length));
}

// All nodes that are named, and what becomes of them.
class Reconfigure {
 public:
  Reconfigure(const ReconfigureArgs& args, ReconfigureNodes& nodes)
      : args_(args), nodes_(nodes), about_(nodes.about()) {}

  int run() {
    for (int plans = 0; plans < plans_max; ++plans) {
      if (const auto code = look()) return *code;
      auto plan = Reconfiguration::plan(
          about_.terms, records_, args_.abandon,
          about_.set_name.empty() ? Reconfiguration::Naming::by_addresses : Reconfiguration::Naming::chosen);
      if (!plan) return refused(plan.error());
      if (plan->idle()) return done(*plan);
      if (const auto code = ask(*plan)) return *code;
      if (const auto code = take_all(*plan)) return *code;
    }
    return fail(ExitCode::no_quorum,
                "the records change all the time: does somebody else reconfigure these nodes? " +
                    std::string(broken_off));
  }

 private:
  // Nothing is changed unless all can be reached.
  std::optional<int> look() {
    records_.clear();
    for (std::size_t node = 0; node < about_.names.size(); ++node) {
      auto seen = nodes_.see(node);
      if (!seen) return failed(node, seen.error());
      records_.push_back(std::move(*seen));
    }
    return std::nullopt;
  }

  void say_failure(std::size_t node, const Failure& failure) const {
    say(about_.names[node] + ": " + failure.detail);
  }

  int failed(std::size_t node, const Failure& failure) const {
    say_failure(node, failure);
    return fail(ExitCode::no_quorum, begun_ ? std::string(broken_off)
                                            : "nothing was changed: all nodes that are named must answer");
  }

  int refused(const Reconfiguration::Obstacle& obstacle) const {
    const std::string& node = about_.names[obstacle.node];
    const std::string outcome(begun_ ? broken_off : "Nothing was changed");
    if (obstacle.kind == Reconfiguration::Obstacle::Kind::foreign) {
      return fail(ExitCode::exists, node + ": " + about_.where + " is not a record of Tenure: \"" +
                                        core::printable(records_[obstacle.node].text, 60) + "\". " + outcome);
    }
    if (obstacle.kind == Reconfiguration::Obstacle::Kind::same) {
      return fail(ExitCode::exists,
                  "a set of the name " + about_.set_name + " is in use, and " + node +
                      " is not one of its nodes: give the new set another --node-set, so that clients with "
                      "the old list are refused; or, if no other node gives leases as part of it, add "
                      "--abandon " +
                      obstacle.set + ". " + outcome);
    }
    const std::size_t nodes = core::nodes_in(obstacle.set);
    return fail(ExitCode::exists, node + " belongs to a set of " + std::to_string(nodes) + " nodes (" +
                                      core::printable(obstacle.set, 80) + ") of which you name " +
                                      std::to_string(obstacle.named) +
                                      ": the others could go on by themselves. Name at least " +
                                      std::to_string(obstacle.needed) +
                                      " of them, with --leaving those that shall not decide any more; or, if "
                                      "no other node gives leases "
                                      "as part of it, add --abandon " +
                                      core::printable(obstacle.set, 80) + ". " + outcome);
  }

  bool several() const { return about_.members > 1; }
  std::string set_words() const {
    return several() ? "these " + std::to_string(about_.members) + " nodes" : "this node";
  }

  // Before the first change only.
  std::optional<int> ask(const Reconfiguration& plan) {
    if (begun_) return std::nullopt;
    say("from then on " + set_words() + " decide, with leases of at most " + core::to_text(about_.terms.cap) +
        ". All leases on the nodes named end, and nobody gets a new one for " +
        in_seconds(core::quarantine_length(plan.longest())));
    if (!args_.yes && !says_yes("Go on?")) return fail(ExitCode::not_taken, "nothing was changed");
    return std::nullopt;
  }

  // Nothing: done, or to be planned again.
  std::optional<int> take_all(Reconfiguration& plan) {
    begun_ = true;
    for (auto steps = plan.steps(); !steps.empty(); steps = plan.steps()) {
      for (const auto& step : steps) {
        auto taken = nodes_.take(step);
        if (!taken) return failed(step.node, taken.error());
        if (!*taken) return std::nullopt;
        plan.taken(step.node, std::move(**taken));
      }
    }
    return std::nullopt;
  }

  int done(const Reconfiguration& plan) {
    const auto quarantined =
        std::count_if(records_.begin(), records_.begin() + members(),
                      [](const core::FoundRecord& it) { return it.read && !it.read->open; });
    const std::string what = set_words() + (several() ? " decide" : " decides") +
                             ", with leases of at most " + core::to_text(about_.terms.cap);
    if (!begun_ && quarantined == 0) {
      std::puts(("nothing to change: " + what).c_str());
      return finish_output();
    }
    if (quarantined > 0) {
      wait(core::quarantine_length(plan.longest()));
      if (!open_all()) return number(ExitCode::no_quorum);
    }
    std::puts(("done: " + what).c_str());
    return finish_output();
  }

  std::ptrdiff_t members() const { return static_cast<std::ptrdiff_t>(about_.members); }

  // From when the last record was written: nobody can believe in a lease of before any more.
  static void wait(core::Duration length) {
    const core::Time end = runtime::boot_now() + length;
    say("waiting until the last lease of before is over: " + in_seconds(length) +
        ". Clients that wait do so as well: this command may be ended now (Ctrl-C)");
    const bool shows = isatty(STDERR_FILENO) == 1;
    for (core::Time now = runtime::boot_now(); now < end; now = runtime::boot_now()) {
      if (shows) std::fprintf(stderr, "\r%6s left ", in_seconds(end - now).c_str());
      std::this_thread::sleep_for(std::min<core::Duration>(end - now, std::chrono::seconds(1)));
    }
    if (shows) std::fputs("\r             \r", stderr);
  }

  // False: not a majority, and it was said why.
  bool open_all() {
    std::size_t open = 0;
    for (std::size_t node = 0; node < about_.members; ++node) {
      const auto& record = records_[node].read;
      if (record && record->open) {
        open += 1;
        continue;
      }
      const auto opened = nodes_.open(node, *record);
      if (!opened) {
        say_failure(node, opened.error());
      } else if (*opened) {
        open += 1;
      } else {
        say(about_.names[node] +
            ": it is in another quarantine by now, and joins by itself when that is over");
      }
    }
    return open >= core::quorum_of(about_.members);
  }

  const ReconfigureArgs& args_;
  ReconfigureNodes& nodes_;
  const ReconfigureNodes::About& about_;
  bool begun_ = false;
  std::vector<core::FoundRecord> records_{};
};

}  // namespace

int reconfigure_all(const ReconfigureArgs& args, ReconfigureNodes& nodes) {
  if (!args.yes && !can_ask()) {
    return fail(ExitCode::usage,
                "there is no terminal to ask on: add --yes if all leases on these nodes may end");
  }
  if (const auto warning = redis::warning_of_even(nodes.about().members)) say(*warning);
  return Reconfigure(args, nodes).run();
}

}  // namespace tenure::cli
