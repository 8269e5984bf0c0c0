// The leases of one client, as their handles see them: without asking the engine, and right by the clock at every look.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <unordered_map>

#include "core/notice.hpp"
#include "runtime/engine/stop_requester.hpp"

namespace tenure::runtime {

inline constexpr core::Time over{};  // a deadline that has always passed

struct LeaseState {
  core::LeaseId id{};
  core::Token token = 0;
  std::atomic<core::Time> deadline{};
  core::Time noted{};  // the deadline as the engine last set it
  std::atomic<std::optional<core::LossReason>> loss{};
  std::atomic<bool> uncertain = false;  // its last renewal failed
  std::stop_source lost;
  std::int8_t patience = 0;  // with which its requests are sent
  // Guarded by the engine's mutex.
  bool counted = true;                         // among those that are held
  bool releasing = false;                      // its release is under way
  bool let_go = false;                         // its handle is gone
  std::unique_ptr<core::Released> released{};  // the last word

  // With the mutex locked: is there nothing left to do?
  bool given_back() const { return released && released->outcome != core::ReleaseOutcome::failed; }

  // Right even while a renewal is being noted: what was once seen as over stays over (S6).
  bool held();
  // False when somebody has seen it as over.
  bool extend(core::Time from, core::Time to) { return deadline.compare_exchange_strong(from, to); }
};

// Guarded by the engine's mutex.
class Leases {
 public:
  using Table = std::unordered_map<core::LeaseId, std::shared_ptr<LeaseState>>;

  std::shared_ptr<LeaseState> add(const core::Acquired& acquired);
  const std::shared_ptr<LeaseState>& at(core::LeaseId id) const { return leases_.at(id); }
  // Whoever still has it in hand holds it no more, from now on.
  void end(core::LeaseId id);
  void end(LeaseState& lease);
  // The same; and it is in the table no more.
  std::shared_ptr<LeaseState> take(core::LeaseId id);
  void forget(core::LeaseId id);
  const Table& all() const { return leases_; }
  // How many are held: neither lost nor being given back.
  std::size_t held() const { return held_; }

  // Its new deadline. False: its holder has looked after the old one, and it stays over.
  static bool renew(LeaseState& lease, core::Time deadline);
  // Tells its holder, who has until the deadline. One that is over already stays over.
  void lose(LeaseState& lease, core::LossReason reason, core::Time deadline);

 private:
  void uncount(LeaseState& lease);

  Table leases_;
  std::size_t held_ = 0;
  StopRequester losses_;  // so that no holder's callback delays the next one's
};

}  // namespace tenure::runtime
