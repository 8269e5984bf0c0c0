#include "cli/nodes/reconfigure.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <thread>
#include <vector>

#include "cli/ask_person.hpp"
#include "cli/message.hpp"
#include "cli/nodes/seen_node.hpp"
#include "core/base/text.hpp"
#include "core/lease/reconfiguration.hpp"
#include "redis/net/caller.hpp"
#include "redis/net/speech.hpp"
#include "redis/record_text.hpp"
#include "redis/text/failure_text.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/instance_id.hpp"
#include "runtime/wall_clock.hpp"

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
  // First those that shall decide, then those that leave.
  Reconfigure(const ReconfigureArgs& args, Nodes nodes, std::vector<redis::Address> all)
      : args_(args), nodes_(std::move(nodes)), all_(std::move(all)) {}

  int run() {
    for (int plans = 0; plans < plans_max; ++plans) {
      if (const auto code = look()) return *code;
      auto plan = Reconfiguration::plan(nodes_.keyspace.terms(), records_, args_.abandon,
                                        nodes_.chosen_set().empty() ? Reconfiguration::Naming::by_addresses
                                                                    : Reconfiguration::Naming::chosen);
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
    connections_.clear();
    records_.clear();
    for (const auto& address : all_) {
      auto seen = see_node(address, nodes_);
      if (!seen) return failed(address, seen.error());
      connections_.push_back(std::move(seen->redis));
      records_.push_back(redis::found_record(std::move(seen->record)));
    }
    return std::nullopt;
  }

  int failed(const redis::Address& address, const Failure& failure) const {
    say(redis::failure_text(address, redis::diagnosed(address, failure)));
    return fail(ExitCode::no_quorum, begun_ ? std::string(broken_off)
                                            : "nothing was changed: all nodes that are named must answer");
  }

  int refused(const Reconfiguration::Obstacle& obstacle) const {
    const std::string node = redis::to_text(all_[obstacle.node]);
    const std::string outcome(begun_ ? broken_off : "Nothing was changed");
    if (obstacle.kind == Reconfiguration::Obstacle::Kind::foreign) {
      return fail(ExitCode::exists, node + ": its key " + nodes_.keyspace.record() +
                                        " is not a record of Tenure: \"" +
                                        core::printable(records_[obstacle.node].text, 60) + "\". " + outcome);
    }
    if (obstacle.kind == Reconfiguration::Obstacle::Kind::same) {
      return fail(ExitCode::exists,
                  "a set of the name " + nodes_.chosen_set() + " is in use, and " + node +
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

  std::string set_words() const {
    return nodes_.several() ? "these " + std::to_string(nodes_.addresses.size()) + " nodes" : "this node";
  }

  // Before the first change only.
  std::optional<int> ask(const Reconfiguration& plan) {
    if (begun_) return std::nullopt;
    say("from then on " + set_words() + " decide, with leases of at most " +
        core::to_text(nodes_.keyspace.cap) +
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
        const auto answer = connections_[step.node].call(redis::reconfigure_call(
            {runtime::random_from_kernel().hex16(), runtime::wall_now_ms()}, step, nodes_.keyspace));
        if (!answer) return failed(all_[step.node], answer.error());
        if (answer->items.size() != 2) return failed(all_[step.node], core::misfit);
        if (answer->items[0].text != "made") return std::nullopt;
        plan.taken(step.node, redis::found_record(answer->items[1].text));
      }
    }
    return std::nullopt;
  }

  int done(const Reconfiguration& plan) {
    const auto quarantined =
        std::count_if(records_.begin(), records_.begin() + members(),
                      [](const core::FoundRecord& it) { return it.read && !it.read->open; });
    const std::string what = set_words() + (nodes_.several() ? " decide" : " decides") +
                             ", with leases of at most " + core::to_text(nodes_.keyspace.cap);
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

  std::ptrdiff_t members() const { return static_cast<std::ptrdiff_t>(nodes_.addresses.size()); }

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
    for (std::size_t node = 0; node < nodes_.addresses.size(); ++node) {
      const auto& record = records_[node].read;
      if (record && record->open) {
        open += 1;
        continue;
      }
      const core::OpenRequest request{record->epoch, record->made_ms};
      auto redis = redis::Caller::connect(all_[node], change_timeout, nodes_.tls);
      const auto answer =
          redis
              ? redis->call(redis::script_call(request, nodes_.keyspace, record->epoch, redis::CallBy::body))
              : tl::unexpected(redis.error());
      if (!answer) {
        say(redis::failure_text(all_[node], redis::diagnosed(all_[node], answer.error())));
      } else if (std::holds_alternative<core::Opened>(redis::script_reply(request, *answer))) {
        open += 1;
      } else {
        say(redis::to_text(all_[node]) +
            ": it is in another quarantine by now, and joins by itself when that is over");
      }
    }
    return open >= nodes_.quorum();
  }

  const ReconfigureArgs& args_;
  Nodes nodes_;  // those that shall decide
  std::vector<redis::Address> all_;
  bool begun_ = false;
  std::vector<redis::Caller> connections_{};
  std::vector<core::FoundRecord> records_{};
};

}  // namespace

int reconfigure(const ReconfigureArgs& args) {
  auto nodes = choose_nodes(args.nodes);
  if (!nodes) return fail(ExitCode::usage, nodes.error());
  auto leaving = redis::parse_addresses(args.leaving);
  if (!leaving) return fail(ExitCode::usage, "--leaving: " + leaving.error());
  std::vector<redis::Address> all = nodes->addresses;
  all.insert(all.end(), leaving->begin(), leaving->end());
  if (const auto error = redis::error_in(all)) return fail(ExitCode::usage, "--leaving: " + *error);
  if (!args.yes && !can_ask()) {
    return fail(ExitCode::usage,
                "there is no terminal to ask on: add --yes if all leases on these nodes may end");
  }
  if (const auto warning = redis::warning_of_even(nodes->addresses.size())) say(*warning);
  return Reconfigure(args, std::move(*nodes), std::move(all)).run();
}

}  // namespace tenure::cli
