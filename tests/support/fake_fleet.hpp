// A fleet that a test plays: it gives and takes sessions as the test says, and by default all that are shared. For tests that
// link the runtime.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/boot_clock.hpp"
#include "runtime/engine/callback_executor.hpp"
#include "support/wait.hpp"
#include "tenure/fleet.hpp"

namespace tenure::test {

class FakeFleet : public Fleet {
 public:
  explicit FakeFleet(std::string id = "here") : id_(std::move(id)) { executor_.make_thread(); }

  // What a test does.
  std::atomic<bool> gives_all = true;  // that is shared
  std::atomic<bool> strictly = true;   // the answer of is_owned_strict
  std::atomic<int> asked = 0;          // how often it was
  std::function<void(const SessionLease&)> on_given{};
  std::atomic<std::chrono::milliseconds> lasts =
      std::chrono::milliseconds(2'000);  // from ending to the deadline
  FleetData place{};                     // where its data is

  void give(const std::string& session) { give(session, ++last_token()); }
  void give(const std::string& session, std::uint64_t token) {
    const std::lock_guard lock(mutex_);
    Held& held = held_[session];
    held = {token};
    if (on_given) on_given(lease(session, held));
    tell({.kind = FleetEvent::Kind::acquired, .session = session, .token = token});
  }
  void take(const std::string& session, SessionEnd reason) {
    const std::lock_guard lock(mutex_);
    end(session, reason);
  }
  void doubt(const std::string& session, bool uncertain) {
    const std::lock_guard lock(mutex_);
    Held& held = held_.at(session);
    held.uncertain = uncertain;
    tell({.kind = uncertain ? FleetEvent::Kind::uncertain : FleetEvent::Kind::certain,
          .session = session,
          .token = held.token});
  }
  void say_sessions_changed() { tell({.kind = FleetEvent::Kind::sessions}); }
  // Until the handler has heard all that was told so far.
  void wait_until_told() {
    std::promise<void> told;
    executor_.post([&] { told.set_value(); }, runtime::CallbackExecutor::Kind::must_arrive);
    told.get_future().wait();
  }
  // Has its work ended?
  bool is_free(const std::string& session) const {
    const std::lock_guard lock(mutex_);
    return !held_.contains(session);
  }
  std::vector<std::string> shared() const {
    const std::lock_guard lock(mutex_);
    return shared_;
  }

  // What a fleet does.
  void on_event(std::function<void(const FleetEvent&)> handler) override { handler_ = std::move(handler); }
  tl::expected<void, Refusal> start() override { return {}; }
  tl::expected<void, Refusal> stop(const std::stop_token& give_up) override {
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [session, held] : held_) {
        if (!held.ending) end(session, SessionEnd::stopped);
      }
    }
    const auto deadline = lasts.load();
    wait_until([&] { return owned() == 0 || give_up.stop_requested(); }, deadline);
    const std::lock_guard lock(mutex_);
    if (!held_.empty() && give_up.stop_requested())
      return tl::unexpected(Refusal{Refusal::Code::cancelled, "the wait for the fleet was given up"});
    held_.clear();
    return {};
  }
  void share(std::vector<std::string> sessions) override {
    const std::lock_guard lock(mutex_);
    shared_ = std::move(sessions);
    if (!gives_all) return;
    std::vector<std::string> gone;
    for (const auto& [session, held] : held_) {
      if (!std::ranges::binary_search(shared_, session)) gone.push_back(session);
    }
    for (const auto& session : gone) end(session, SessionEnd::removed);
    for (const auto& session : shared_) {
      if (held_.contains(session)) continue;
      held_[session] = {++last_token()};
      if (on_given) on_given(lease(session, held_[session]));
      tell({.kind = FleetEvent::Kind::acquired, .session = session, .token = held_[session].token});
    }
  }
  void ended(const std::string& session, std::uint64_t token) override {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(session);
    if (found == held_.end() || found->second.token != token) return;
    held_.erase(found);
    tell({.kind = FleetEvent::Kind::ended, .session = session, .token = token});
  }
  tl::expected<SessionLease, Refusal> try_acquire(const std::string& session) override {
    give(session);
    return *lease_info(session);
  }
  bool release(const std::string& session) override {
    take(session, SessionEnd::released);
    return true;
  }
  bool is_owned(const std::string& session) const override {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(session);
    return found != held_.end() && !found->second.uncertain && !found->second.ending;
  }
  bool is_uncertain(const std::string& session) const override {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(session);
    return found != held_.end() && found->second.uncertain;
  }
  bool is_owned_strict(const std::string& session) override {
    asked += 1;
    return strictly && is_owned(session);
  }
  std::vector<std::string> owned_sessions() const override {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> all;
    for (const auto& [session, held] : held_) all.push_back(session);
    return all;
  }
  std::optional<SessionLease> lease_info(const std::string& session) const override {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(session);
    if (found == held_.end()) return std::nullopt;
    return lease(session, found->second);
  }
  std::vector<Instance> live_instances() const override { return {{.id = id_}}; }
  std::optional<std::string> preferred_owner(const std::string& /*session*/) const override { return id_; }
  bool is_preferred_owner(const std::string& /*session*/) const override { return true; }
  const std::string& instance_id() const override { return id_; }
  FleetData data() const override { return place; }

 private:
  struct Held {
    std::uint64_t token = 0;
    bool uncertain = false;
    bool ending = false;
  };

  // One for all fleets of a test, as Redis has.
  static std::atomic<std::uint64_t>& last_token() {
    static std::atomic<std::uint64_t> last = 0;
    return last;
  }
  std::size_t owned() const {
    const std::lock_guard lock(mutex_);
    return held_.size();
  }
  SessionLease lease(const std::string& session, const Held& held) const {
    return {.session = session,
            .key = "poll:lease:" + session,
            .value = id_ + "#0123456789abcdef#" + std::to_string(held.token),
            .owner = id_,
            .token = held.token};
  }
  void end(const std::string& session, SessionEnd reason) {
    Held& held = held_.at(session);
    held.ending = true;
    const auto deadline = runtime::boot_now() + lasts.load();
    tell({.kind = FleetEvent::Kind::ending,
          .session = session,
          .token = held.token,
          .reason = reason,
          .deadline = BootClock::time_point(deadline.time_since_epoch())});
  }
  void tell(FleetEvent event) {
    executor_.post(
        [this, event = std::move(event)] {
          if (handler_) handler_(event);
        },
        runtime::CallbackExecutor::Kind::must_arrive);
  }

  const std::string id_;
  mutable std::mutex mutex_;
  std::map<std::string, Held> held_;
  std::vector<std::string> shared_;
  std::function<void(const FleetEvent&)> handler_;
  runtime::CallbackExecutor executor_{1};  // goes first
};

}  // namespace tenure::test
