#include "cli/lock/breaking.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "cli/ask_person.hpp"
#include "cli/lock/lock_output.hpp"
#include "cli/lock/lock_plan.hpp"
#include "cli/message.hpp"
#include "core/base/text.hpp"
#include "core/lease/record.hpp"
#include "core/nodes.hpp"
#include "redis/grant_text.hpp"
#include "redis/session_call.hpp"
#include "runtime/instance_id.hpp"
#include "runtime/text/refusal_text.hpp"

namespace tenure::cli {

namespace {

using redis::Broken;
using std::chrono::milliseconds;

// One name that is to be broken.
class Breaking {
 public:
  Breaking(const LockBreakArgs& args, const BreakNodes& nodes)
      : args_(args),
        nodes_(nodes),
        mark_(std::string(core::broken_by) + person(), runtime::random_from_kernel().next()) {}

  int run() {
    if (!look()) return number(ExitCode::no_quorum);
    if (!lock_.taken()) {
      if (const auto why = no_lock()) return fail(ExitCode::not_taken, *why);
    }
    if (const auto why = cannot()) return fail(ExitCode::not_taken, *why);
    say("the lock " + args_.name + " is " + lock_words(lock_));
    if (args_.unsafe) say(unsafe_text());
    if (!args_.yes && !says_yes(args_.unsafe ? "Free it all the same?" : "Break it?")) {
      return fail(ExitCode::not_taken, "nothing was changed");
    }
    if (args_.unsafe) return free_at_once();
    // Broken before, by somebody who did not wait to the end: what is left is to wait.
    if (lock_.state != LockState::broken) {
      if (const int code = put_marks(); code != number(ExitCode::done)) return code;
    } else {
      standing_ = lock_.grant;
    }
    return wait_it_out();
  }

 private:
  bool several() const { return nodes_.names().size() > 1; }
  std::size_t quorum() const { return core::quorum_of(nodes_.names().size()); }

  bool look() {
    auto looked = nodes_.look();
    if (!say_failures(looked, nodes_.names())) return false;
    lock_ = std::move(looked.locks.front());
    return true;
  }

  // Is the name taken by something that cannot be broken?
  std::optional<std::string> no_lock() const {
    const auto looked = nodes_.look_at_name();
    const auto& other = looked.locks.front();
    if (!other.taken() || other.kind == LeaseKind::lock) return std::nullopt;
    return args_.name + " is no lock but " + kind_words(other) + ", " + lock_words(other) +
           ": only locks can be broken, and nothing was changed. End the process that has it, and another "
           "gets it";
  }

  std::optional<std::string> cannot() const {
    const std::string is = args_.name + " is " + lock_words(lock_);
    switch (lock_.state) {
      case LockState::free:
        return is + ": there is nothing to break";
      case LockState::kept:
        return is + " and gets it in this moment: look again";
      case LockState::foreign:
        if (lock_.grant.empty())
          return is + ": its key " + nodes_.key() + " is not a string; look at it by hand";
        if (lock_.left == core::Ttl(-1) && !args_.unsafe) {
          return is + ": waiting would never end; --unsafe deletes it at once";
        }
        break;
      case LockState::held:
      case LockState::perhaps:
      case LockState::broken:
        break;
    }
    return std::nullopt;
  }

  std::string unsafe_text() const {
    const std::string who = core::printable(lock_.holder.owner);
    return "this is unsafe: " + who + " goes on believing that it holds " + args_.name +
           " until its next renewal, or until its lease ends, while another already works.\nTwo may write at "
           "the "
           "same time; only what checks the fencing token is protected. Without --unsafe nobody gets " +
           args_.name + " before that is over.";
  }

  // The token of the whole set is on at least one node of every majority, and no other is larger: this one is.
  redis::Breaking request(std::size_t node) const {
    const bool absent = !lock_.nodes[node] || !lock_.nodes[node]->exists();
    return {nodes_.key(), lock_.grant, mark_, lock_.holder.token + 1,
            absent ? std::max(lock_.left, core::Ttl(1)) : core::Ttl::zero()};
  }

  // Where the grant is, and where nothing is: a holder that was just about to put it back there cannot.
  int put_marks() {
    const auto answers = nodes_.mark([this](std::size_t node) { return request(node); });
    const auto broken = count(answers, Broken::broken);
    if (broken == 0) {
      // It was given back in the meantime: what stands on nodes that had nothing would only be in the way.
      nodes_.take_back(mark_);
      return changed_or_failed(answers);
    }
    standing_ = redis::stamp(mark_);
    if (broken + count(answers, Broken::blocked) < quorum()) return changed_or_failed(answers);
    say("broke it" + on_nodes(broken) +
        ": its holder is told at its next renewal. Waiting until nobody can "
        "believe in it any more");
    return number(ExitCode::done);
  }

  int free_at_once() {
    // In quarantine a holder may put back what is missing, and nobody else gets it anyway: there it is marked.
    const auto answers = nodes_.free(lock_.grant, [this](std::size_t node) { return request(node); });
    const auto freed = count(answers, Broken::broken);
    const auto marked = count(answers, Broken::blocked);
    if (freed + marked == 0 || freed + marked + count(answers, Broken::absent) < quorum()) {
      return changed_or_failed(answers);
    }
    if (freed > 0) say("deleted it" + on_nodes(freed) + ": who comes next gets it at once");
    if (marked > 0)
      say("broke it" + on_nodes(marked) + ", in quarantine: nobody gets a new lease there before that ends");
    return number(ExitCode::done);
  }

  using Answers = BreakNodes::Answers;

  static std::size_t count(const Answers& answers, Broken kind) {
    return static_cast<std::size_t>(
        std::ranges::count_if(answers, [&](const auto& it) { return it && *it == kind; }));
  }

  std::string on_nodes(std::size_t count) const {
    if (!several()) return "";
    return " on " + std::to_string(count) + " of " + std::to_string(nodes_.names().size()) + " nodes";
  }

  int changed_or_failed(const Answers& answers) const {
    const auto failures = runtime::failures_in(answers);
    if (answers.size() - failures.size() < quorum()) {
      return fail(ExitCode::no_quorum, args_.name +
                                           " may be broken on some nodes, but not on a majority, and its "
                                           "holder may keep it" +
                                           runtime::failures_text(failures, nodes_.names()));
    }
    return fail(ExitCode::not_taken,
                args_.name + " has changed hands in this moment; look again before you break it");
  }

  // Nobody else can have it until what stands in its place has run out on a majority. The rest ends within moments of
  // that, and is waited for as well: free is free everywhere.
  int wait_it_out() {
    while (true) {
      if (!look()) {
        say("it is broken all the same, and free when what it shows has run out");
        return number(ExitCode::no_quorum);
      }
      std::size_t free = 0;
      core::Ttl longest{};
      for (const auto& key : lock_.nodes) {
        const bool stands = key && key->exists() && redis::grant_in(key->value) == standing_;
        if (key && !stands) free += 1;
        if (stands) longest = std::max({longest, key->left, milliseconds(10)});
      }
      if (free >= quorum() && longest == core::Ttl::zero()) break;
      std::this_thread::sleep_for(std::max(longest, milliseconds(10)));
    }
    say(args_.name + " is " + lock_words(lock_) + (lock_.taken() ? " by now" : ""));
    return number(ExitCode::done);
  }

  const LockBreakArgs& args_;
  const BreakNodes& nodes_;
  core::Grant mark_;
  std::string standing_;  // the grant of the marks: ours, or that of who broke it before
  LockView lock_{};
};

}  // namespace

Looked BreakNodes::look_at_name() const {
  const std::string fleet(redis::SessionKeys::usual_fleet);
  return inspector_->leases_of({args_.target.lock_prefix, fleet}, args_.name);
}

int break_lock(const LockBreakArgs& args, const BreakNodes& nodes) {
  if (!args.yes && !can_ask()) {
    return fail(ExitCode::usage,
                "there is no terminal to ask on: add --yes if " + args.name + " is to be broken");
  }
  return Breaking(args, nodes).run();
}

}  // namespace tenure::cli
