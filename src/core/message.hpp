// What the core asks of a node, and what it hears back. Both interpreters, the runtime and the simulator, speak in
// these. How a store writes any of it down is the store's affair: the core has no texts to parse.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/time.hpp"
#include "core/fleet/beat.hpp"
#include "core/fleet/rendezvous.hpp"
#include "core/lease/grant.hpp"
#include "core/lease/record.hpp"
#include "core/nodes.hpp"

namespace tenure::core {

// One request to one node, never used again; a reply names the request that it answers (S13).
enum class RequestId : std::uint64_t {};

struct AcquireRequest {
  std::string key;
  Grant grant;
  Ttl ttl{};
  std::optional<Grant> ticket{};  // the place in the queue that the caller has or wants
  // The token that the node is to mint, where it is larger than all that it has minted and not ahead of its clock; otherwise,
  // and where it is 0, the node mints its next one. Several nodes may so mint the same.
  Token proposal = 0;
};

// The token of a grant that a majority gave: the second round of a quorum, or for a node that minted another number.
struct ConfirmRequest {
  std::string key;
  Grant grant;
  Token token = 0;
};

// One lease among those of a batch.
struct Holding {
  std::string key;
  Grant grant;
  Token token = 0;
};

// Compares the whole value: a grant that lapsed and was set again has another token (T10).
struct RenewRequest {
  Ttl ttl{};
  std::vector<Holding> items;
};

// Puts confirmed grants back on a node that has forgotten them, or never had them.
struct ReassertRequest {
  Ttl ttl{};
  bool heal =
      false;  // a quorum stands by the holder: it may install where nothing is, also out of quarantine
  std::vector<Holding> items;
};

struct ReleaseRequest {
  std::string key;
  Grant grant;
  std::optional<Grant> ticket{};  // leaves the queue, too
  bool wake = true;               // tells the next waiter
};

// Ends the quarantine of that epoch which began then, by the node's clock.
struct OpenRequest {
  std::string epoch;
  std::int64_t made_ms = 0;
  Part part = 0;

  bool operator==(const OpenRequest&) const = default;
};

// What does the wall clock show by which the keys of that part expire?
struct ClockRequest {
  Part part = 0;
};

// What does the node show for these names? Changes nothing.
struct LookRequest {
  std::vector<std::string> keys;
};

// "I live, and who else does?"
struct BeatRequest {
  std::string fleet;  // what its keys begin with
  std::string id;     // of the instance
  Beat beat;
  Ttl ttl{};                         // until it counts as dead; zero: it leaves
  std::vector<SessionHash> owned{};  // the list behind the digest of the beat
};

// Which sessions do these instances own, by the lists that came with their last beats?
struct ListsRequest {
  std::string fleet;  // what its keys begin with
  std::vector<std::string> ids{};
};

using Request = std::variant<AcquireRequest, ConfirmRequest, RenewRequest, ReassertRequest, ReleaseRequest,
                             OpenRequest, ClockRequest, LookRequest, BeatRequest, ListsRequest>;

struct Granted {
  Token token = 0;
};

struct Held {
  Holder holder;
  std::optional<Ttl> left{};   // nothing: it has no expiry, so Tenure did not write it
  std::optional<int> ahead{};  // how many wait before us, once we stand in the queue
};

// The node's record does not allow this to the caller: absent, quarantined, of another epoch or cap.
struct NotOpen {
  FoundRecord record{};
};

// The quarantine is over.
struct Opened {};

struct NodeClock {
  Duration unix_time{};
  std::uint64_t clock = 0;  // whose it is: parts of a node may be served by different servers
};

// What a node found for one key of a batch.
enum class KeyAnswer : std::uint8_t {
  done,     // it showed the caller's grant, and what was asked for was done
  missing,  // there is no such key
  foreign,  // it shows something else, and was left alone
  locked,   // somebody keeps the node from looking at it; nothing was done
};

using KeyAnswers = std::vector<KeyAnswer>;

// What a node shows for a name.
struct KeyState {
  std::optional<Holder> holder{};  // nothing: there is no such key
  std::optional<Grant> grant{};    // of that holder, where it can be read
  std::optional<Ttl> left{};       // nothing: it has no expiry, or there is no such key
  std::int64_t waiters = 0;
  bool known = true;  // false: the node could not look at that name, and says nothing of it

  bool exists() const { return holder.has_value(); }
  bool operator==(const KeyState&) const = default;
};

using KeyStates = std::vector<KeyState>;

// One that lives.
struct Member {
  std::string id;
  std::uint32_t weight = 1;  // with 0 it owns nothing
  std::uint64_t owned = 0;
  Ttl left{};                             // until it counts as dead, unless it beats again
  std::optional<std::uint64_t> digest{};  // of the sessions that it owns; earlier versions say none

  bool operator==(const Member&) const = default;
};

// Who lives.
struct LiveMembers {
  std::vector<Member> members;  // by id
  std::uint64_t version = 0;    // of the sessions, as the store has them
};

// By instance, as they were asked for; nullopt for one that has no list.
using Lists = std::vector<std::optional<std::vector<SessionHash>>>;

// Another process lives under the id of the one that asked.
struct IdTaken {
  std::optional<Ttl> left{};  // of its beat; nothing: it has no expiry
};

// What somebody says to all instances of a fleet has changed. A hint, and perhaps a lie.
enum class FleetChange : std::uint8_t { instances, sessions };

// Could the request have changed the node?
enum class Applied : std::uint8_t { no, perhaps };

// What went wrong, as far as somebody decides by it: whether to try again, what to advise, and what was told already. All else
// is in the detail.
enum class FailureCode : std::uint8_t {
  unreachable,
  timed_out,
  closed,
  tls,  // it could not prove who it is, or does not believe us
  auth,
  no_permission,
  starting,     // it is there, and not ready yet
  read_only,    // it takes no writes: another one does
  not_durable,  // it takes no writes, because it could not keep them safe
  full,         // it has no room left
  busy,         // with something that it does not interrupt
  unsupported,  // it is of a kind that cannot keep leases
  not_set_up,   // it lacks what leases are kept in, until somebody makes that
  clock,        // its clock has jumped
  protocol,
  server,
};

struct Failure {
  Applied applied = Applied::perhaps;
  FailureCode code = FailureCode::server;
  std::string detail;  // a sentence for a person; never a secret
};

// A node that has not answered in time. It may have done all that it was asked (S10).
inline const Failure silence{Applied::perhaps, FailureCode::timed_out, "no answer in time"};
// Of one lease among others.
inline const Failure locked{Applied::no, FailureCode::busy, "somebody's transaction has locked this lease"};
// Of one name among others.
inline const Failure not_looked_at{Applied::no, FailureCode::busy, "it cannot look at this name now"};
// A node that answered something else than it was asked.
inline const Failure misfit{Applied::perhaps, FailureCode::protocol, "the reply does not fit the request"};

using Reply = std::variant<Granted, Held, NotOpen, Opened, NodeClock, KeyAnswers, KeyStates, LiveMembers,
                           Lists, IdTaken, Failure>;

}  // namespace tenure::core
