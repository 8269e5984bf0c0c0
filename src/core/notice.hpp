// What the core tells those who use it, by whom it concerns. Whoever handles an audience has a function for each of its
// notices: one more, without a function for it, does not compile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/time.hpp"
#include "core/message.hpp"

namespace tenure::core {

// One caller's wish for a name, from the first round to the last.
enum class AcquireId : std::uint64_t {};
// One lease in this process. Every grant has its own, also of the same name (T20).
enum class LeaseId : std::uint64_t {};
// One election that this process takes part in, or observes.
enum class ElectionId : std::uint64_t {};

struct NodeFailure {
  NodeIndex node = 0;
  Failure failure{};
};

enum class RefusalCode : std::uint8_t {
  held,       // somebody else has it
  no_quorum,  // too few nodes answered
  not_open,   // the record allows no grants to us
  too_slow,   // granted, but too late to be of use
  waited,     // the wait is over
  cancelled,  // the caller asked for no more
};

// Why a name was not acquired. Not one answer for all: who holds it, or what failed where (L2).
struct Refusal {
  RefusalCode code = RefusalCode::no_quorum;
  std::optional<Held> held{};
  FoundRecord record{};  // of the node that says the most
  std::vector<NodeFailure> failures{};
  std::vector<NodeIndex> closed{};  // those whose record allows no grants to us
};

enum class LossReason : std::uint8_t {
  not_renewed,   // the deadline came near without an answer
  missing,       // the key is gone: deleted by hand, evicted, or the data was lost
  taken,         // the key shows another grant
  over,          // it was held as long as it may be
  closed,        // its client was closed; said by whoever drives the core
  stepped_down,  // a leader that wished to lead no more
  stopped,       // a leader whose election was stopped
};

enum class ReleaseOutcome : std::uint8_t {
  released,
  expired,  // it had lapsed before (T17)
  taken,    // it had lapsed, and another has it; left alone (T45)
  failed,   // no answer; it may be tried again (T15), and lapses by itself
};

// The wall clock of a node has jumped; its grants do not count until then.
struct ClockJumped {
  NodeIndex node = 0;
  Duration by{};
  Duration distrusted_for{};
};

// For the caller.
struct Acquired {
  AcquireId acquire{};
  LeaseId lease{};
  std::string key;
  Grant grant;
  Token token = 0;
  Time deadline{};
};
struct Refused {
  AcquireId acquire{};
  Refusal refusal;
};
struct Waiting {  // we shall try again; said when the wait begins, and when its reason changes
  AcquireId acquire{};
  Refusal refusal;
};
struct Renewed {
  LeaseId lease{};
  Time deadline{};
  bool extended = false;  // by what was sent when its holder asked for it, not by an earlier renewal
};
struct Uncertain {  // a renewal failed; it ends as Renewed or Lost
  LeaseId lease{};
  Failure failure;
};
struct Lost {
  LeaseId lease{};
  LossReason reason = LossReason::not_renewed;
  Time deadline{};  // the work must have ended by then; now, if the name may already be another's
};
struct Released {
  LeaseId lease{};
  ReleaseOutcome outcome = ReleaseOutcome::failed;
  std::vector<NodeFailure> failures{};
};

// To whoever waits for a call.
using CallNotice = std::variant<Acquired, Refused, Waiting, Released>;
// To whoever has a lease, also one that is a term or a session.
using LeaseNotice = std::variant<Renewed, Uncertain, Lost>;

// For whoever takes part in an election.
struct Elected {
  ElectionId election{};
  Acquired term;  // its token is the term
};
// The work of a leader must end, and then its handlers run: until the deadline nobody else can lead. Whoever drives
// this calls drained() after that, and not before.
struct TermEnding {
  ElectionId election{};
  LeaseId lease{};
  LossReason reason = LossReason::stopped;
  Time deadline{};
};
// They have not ended by the deadline: another may lead from now on.
struct TermOverran {
  ElectionId election{};
  LeaseId lease{};
};
// The name is ours no more, whatever the nodes said.
struct TermOver {
  ElectionId election{};
  LeaseId lease{};
  std::string key;
  bool released = false;  // and was until it was given back
};
struct LeaderChanged {  // also to nobody: then there is none, or none that can be seen from here
  ElectionId election{};
  std::optional<Holder> before{};
  std::optional<Holder> now{};
};
// By something else than a leader, or an observer's sight; said when its reason changes.
struct CampaignHindered {
  ElectionId election{};
  Refusal refusal;
};
struct ElectionStopped {
  ElectionId election{};
};

using ElectionNotice = std::variant<Elected, TermEnding, TermOverran, TermOver, LeaderChanged,
                                    CampaignHindered, ElectionStopped>;

// Why a session is given back.
enum class EndReason : std::uint8_t {
  rebalance,    // another should have it, and asks for it
  removed,      // it is shared no more
  given_back,   // by hand
  stopped,      // the fleet was
  not_renewed,  // the deadline came near without an answer
  missing,      // its key is gone
  taken,        // its key shows another grant, or another process lives under our id
  closed,       // the client was
};

// For whoever works on sessions.
struct SessionTaken {
  std::string session;
  Acquired lease;
};
// Asked for by hand.
struct SessionRefused {
  std::string session;
  Refusal refusal;
};
// The work on it must end: until the deadline nobody else can own it. Whoever drives this calls drained() after that.
struct SessionEnding {
  std::string session;
  LeaseId lease{};
  EndReason reason = EndReason::stopped;
  Time deadline{};
};
struct SessionEnded {
  std::string session;
  std::string key;
  LeaseId lease{};
  EndReason reason = EndReason::stopped;
};
struct InstancesChanged {
  std::vector<std::string> joined{};
  std::vector<std::string> left{};
};
// Somebody says so: they are to be read again.
struct SessionsChanged {};
// It has beaten for the first time.
struct FleetJoined {};
// Its store does not answer; said when that begins.
struct FleetHindered {
  Failure failure;
};
// The nodes give it no new leases: a quarantine, or another cap. Said when that begins.
struct FleetNotOpen {
  Refusal refusal;
  std::optional<Time> opens_by{};  // if this client sits it out
};
// They do again.
struct FleetOpen {};
// Another process lives under its id. What it has it gives back, as if it had been stopped.
struct FleetRefused {
  IdTaken taken;
};
struct FleetStopped {};

using FleetNotice =
    std::variant<SessionTaken, SessionRefused, SessionEnding, SessionEnded, InstancesChanged, SessionsChanged,
                 FleetJoined, FleetHindered, FleetNotOpen, FleetOpen, FleetRefused, FleetStopped>;

using Notice = std::variant<CallNotice, LeaseNotice, ElectionNotice, FleetNotice, ClockJumped>;

}  // namespace tenure::core
