// One instance's part in a fleet, in the hands of its users: what is ours, by deadlines on a clock, and what is told of
// it in order. The core decides; this remembers, and waits where users wait.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <tl/expected.hpp>
#include <vector>

#include "runtime/engine/engine.hpp"
#include "tenure/fleet.hpp"

namespace tenure::runtime {

// Why an instance could not join: another lives under its id, its store failed, or something on this side.
struct NotJoined {
  enum class Why : std::uint8_t {
    still_stopping,  // since it ran before
    stopped,         // before it had joined
    closed,          // the client is
    other_fleet,     // the client takes part in it
    no_thread,       // for its handler
  };
  std::optional<core::IdTaken> taken{};
  std::optional<core::Failure> failure{};
  std::optional<Why> why{};
};

// Why a session was not taken. Neither: it takes no part in the fleet.
struct NotTaken {
  std::optional<core::Refusal> refusal{};
  std::optional<SessionLease> ours{};  // it is ours already, and ending or uncertain
};

class Membership : public FleetListener, public std::enable_shared_from_this<Membership> {
 public:
  Membership(std::shared_ptr<Engine> engine, core::FleetPlan plan, std::shared_ptr<Node> data,
             DescribeNotOpen describe)
      : engine_(std::move(engine)),
        plan_(std::move(plan)),
        data_(std::move(data)),
        describe_(std::move(describe)) {}
  ~Membership() override;
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

  // Before start().
  std::function<void(const FleetEvent&)> handler{};

  // Waits until it has joined. What runs is started.
  tl::expected<void, NotJoined> start(const std::shared_ptr<Membership>& self);
  // Waits until everything is given back and the handler has heard of it. False when it is called by the handler, or the wait
  // was given up; then it goes on in the background.
  bool stop(const std::stop_token& give_up = {});
  // After stop(): tells what is left to tell, and lets the handler go. Waits for that, unless it is called by the handler; then
  // nobody but its users has a handle of this any more.
  void fall_silent();
  void share(std::vector<std::string> sessions);
  void ended(const std::string& session, core::Token token);
  tl::expected<SessionLease, NotTaken> take(const std::string& session);
  bool give_back(const std::string& session);

  bool owned(const std::string& session) const;
  bool uncertain(const std::string& session) const;
  bool owned_strictly(const std::string& session);
  std::vector<std::string> all_owned() const;
  std::optional<SessionLease> lease_of(const std::string& session) const;
  std::vector<core::Member> members() const;
  std::optional<std::string> preferred(const std::string& session) const;

 private:
  struct Owned {
    std::shared_ptr<LeaseState> lease;
    std::string key;
    std::string value;
    bool ending = false;

    bool usable() const { return !ending && !lease->uncertain && lease->held(); }
  };
  // One who waits for a session that was asked for by hand.
  struct Hand {
    bool done = false;
    std::optional<core::Refusal> refusal{};
  };
  using Lock = std::unique_lock<std::mutex>;

  using Run = std::uint64_t;  // from one start() to the end of it, by their number
  struct Begun {
    Run run = 0;
    bool by_us = false;  // else it ran before
  };
  tl::expected<Begun, NotJoined::Why> begin(const std::shared_ptr<Membership>& self);
  void share_what_is_known(Run run);
  bool stop(std::optional<Run> only, const std::stop_token& give_up);
  void on_stopped(std::shared_ptr<FleetListener> self) override;
  void hear(const core::FleetNotice& notice, const std::shared_ptr<LeaseState>& lease) override;
  void on_uncertain(const std::shared_ptr<LeaseState>& lease, const std::optional<std::string>& why) override;
  void on_taken(const core::SessionTaken& taken, const std::shared_ptr<LeaseState>& lease);
  void on_ending(const core::SessionEnding& ending, const LeaseState& lease);
  void on_ended(const core::SessionEnded& ended, const LeaseState& lease);
  void on_hindered(const core::FleetHindered& hindered);
  void on_not_open(const core::FleetNotOpen& not_open);
  void on_id_taken(const core::FleetRefused& refused);
  void finish(const std::string& session, std::optional<core::Refusal> refusal);
  void tell(FleetEvent event);
  const Owned* find(const std::string& session) const;
  SessionLease lease_of(const std::string& session, const Owned& owned) const;

  std::shared_ptr<Engine> engine_;
  core::FleetPlan plan_;
  std::shared_ptr<Node> data_;
  DescribeNotOpen describe_;
  std::mutex sharing_;        // while it begins, leaves or shares: locked before the engine's
  mutable std::mutex mutex_;  // never locked while the engine is called
  std::condition_variable_any changed_;
  bool running_ = false;
  bool stopping_ = false;  // it leaves, or is about to, since it was started
  bool joined_ = false;
  bool silent_ = false;
  Run started_ = 0;         // the last
  std::size_t untold_ = 0;  // events that the handler has not heard, or not returned from
  std::optional<NotJoined> why_not_{};
  std::optional<std::vector<std::string>> shared_{};
  std::map<std::string, Owned> owned_;
  std::map<core::LeaseId, std::string> sessions_;  // by lease
  std::map<std::string, std::shared_ptr<Hand>> hands_;
  std::optional<std::thread::id> teller_{};
  std::unique_ptr<CallbackExecutor> events_ = std::make_unique<CallbackExecutor>(1);
};

}  // namespace tenure::runtime
