// Requests of the core as script calls, and the answers of the scripts as replies.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "core/base/time.hpp"
#include "core/lease/reconfiguration.hpp"
#include "core/message.hpp"
#include "redis/scripts.hpp"
#include "redis/value.hpp"

namespace tenure::redis {

// A command as Redis takes it: its name and arguments.
using Command = std::vector<std::string>;

// What the scripts need to know beside the request.
struct Keyspace {
  static constexpr std::string_view usual_prefix = "tenure:";
  std::string prefix{usual_prefix};
  core::Ttl cap{60'000};
  std::string set{"1"};  // redis/node_set.hpp
  std::string tag{};     // of a slot in a Cluster, whose keys these are; empty elsewhere

  core::Terms terms() const { return {cap, set}; }
  // What every key begins with that is not Tenure's own, those of leases, sessions and results: nothing under the usual
  // prefix, where names are keys as they are documented; else the prefix, so that two prefixes share nothing.
  std::string root() const { return prefix == usual_prefix ? "" : prefix; }
  std::string key(const std::string& name) const { return root() + name; }

  std::string record() const { return tagged(prefix + "record"); }
  std::string fence() const { return tagged(prefix + "fence"); }
  // Who waits for that lease, in order.
  std::string queue(const std::string& lease) const {
    return (tag.empty() ? prefix + "queue:" : tagged(prefix + "queue") + ":") + lease;
  }
  // The same of one slot: its keys carry a text in braces that is in the slot, so that they are in it, too.
  Keyspace of_slot(core::Part slot) const;
  // What the channels of waiters begin with; the owner's id follows.
  std::string channels() const { return prefix + "wake:"; }
  // Of a fleet whose keys begin so: its instances, the channel of what changes, and what an instance owns.
  static std::string instances(const std::string& fleet) { return fleet + "node:"; }
  static std::string changes(const std::string& fleet) { return fleet + "changes"; }
  static std::string list(const std::string& fleet, const std::string& id) { return fleet + "owned:" + id; }
  // Does Tenure need this key for itself, so that it can be no lease?
  bool owns(const std::string& key) const {
    return key == record() || key == fence() || key.starts_with(queue("")) ||
           key.starts_with(record() + ":{") || key.starts_with(fence() + ":{");
  }

 private:
  std::string tagged(std::string key) const { return tag.empty() ? key : key + ":{" + tag + "}"; }
};

// How long a name that was given back is kept for one waiter before it is the next one's turn: some round trips. A
// waiter that is silent for so long loses its place.
inline constexpr core::Ttl turn_of_waiter{250};
// More turns than a release ever announces: five, and one for each doubling of the queue's length (release.lua).
inline constexpr int turns_max = 32;

// What a client says of itself when it is admitted.
struct Introduction {
  std::string epoch;         // one that nobody used before, should a quarantine begin
  std::int64_t wall_ms = 0;  // its wall clock, unix time
};

enum class CallBy : std::uint8_t {
  sha1,  // short, and fails with NOSCRIPT where Redis does not know the script
  body,  // works always, and makes it known
};

// Mostly a script. The epoch is the one that the connection was admitted to.
Command script_call(const core::Request& request, const Keyspace& keyspace, std::string_view epoch,
                    CallBy by);
// Several releases in one call. Each is of another lease, and all of them wake the next waiter, or none does.
Command release_call(std::span<const core::ReleaseRequest* const> releases, const Keyspace& keyspace,
                     CallBy by);
Command admit_call(const Introduction& introduction, const Keyspace& keyspace, CallBy by);
Command init_call(const Introduction& introduction, const Keyspace& keyspace);
Command reconfigure_call(const Introduction& introduction, const core::Reconfiguration::Step& step,
                         const Keyspace& keyspace);
// Which rights the user lacks to use leases like this one, with nothing changed: "<command> <on what>" for each.
Command rights_call(const std::string& lease, const Keyspace& keyspace);

// The result of work done under a lease, for the state of what was worked on.
struct Result {
  std::string state{};                 // its key
  std::optional<std::string> lease{};  // the key of the lease, if it lives on the same Redis
  std::string stamp{};                 // of the grant
  core::Token token = 0;
  std::string text{};
  std::string channel{};  // to tell it on, if on any
  // Of work that is due again and again; unix times in milliseconds.
  struct Turn {
    std::int64_t slot_ms = 0;
    std::int64_t at_ms = 0;
  };
  std::optional<Turn> turn{};
};
// The slot of the last result, which stands beside it.
Command last_slot_call(const std::string& state);
// Nothing: there is none, or it is no number.
tl::expected<std::optional<std::int64_t>, core::Failure> last_slot(const Value& value);

Command publish_result_call(const Result& result, CallBy by);
enum class Published : std::uint8_t {
  stored,
  lease_gone,  // the lease does not show this grant any more
  outdated,    // a later owner has been here
};
tl::expected<Published, core::Failure> published(const Value& value);

// The reply to that request. A value that no script of ours gives is a Failure.
core::Reply script_reply(const core::Request& request, const Value& value);
// The same for one of so many releases that were one call.
core::Reply release_reply(const Value& value, std::size_t which, std::size_t count);

// What a node shows for a name, with the text of the value and PTTL as they are: for people, who also look at keys that
// Tenure did not write, and break what stands there. The core is told a KeyState.
struct FoundKey {
  std::string value{};  // empty: none, or a key that is not a string
  core::Ttl left{-2};   // -2: there is no such key; -1: it has no expiry
  std::int64_t waiters = 0;

  bool exists() const { return left != core::Ttl(-2); }
};
// The answer to a LookRequest for so many keys.
tl::expected<std::vector<FoundKey>, core::Failure> found_keys(const Value& value, std::size_t keys);

// A message for one of the client's waiters; nothing when it is none of Tenure's.
struct WakeUp {
  core::Grant ticket;
  core::Duration after{};
};
std::optional<WakeUp> read_wake_up(std::string_view message);

// A message on the channel of a fleet's changes: "sessions", or whatever else, which can only be about instances.
core::FleetChange read_change(std::string_view message);

}  // namespace tenure::redis
