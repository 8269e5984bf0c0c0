// Why something was not done: one answer for each reason, and a sentence for a person.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenure {

/// Why nodes give us no new leases, by the record that each of them has.
struct NotOpen {
  enum class Why : std::uint8_t {
    quarantine,      // they may have forgotten leases, or leases of another set or cap may last: it passes
    no_record,       // new to Tenure, or their data was lost; `tenure init` opens those that are new
    foreign_record,  // what is there was not written by Tenure
    other_ttl_max,   // everybody else has another ClientOptions::ttl_max
    left_set,        // the node was taken out of its set by `tenure reconfigure`
    between_sets,    // `tenure reconfigure` was begun and not finished
    other_count,     // the node belongs to a set of more or fewer nodes than ClientOptions::nodes names
    other_name,      // everybody else has another ClientOptions::node_set for this single node
    other_set,       // the node belongs to another set of as many nodes
  };
  Why why{};
  std::optional<std::chrono::milliseconds> ttl_max{};  // for other_ttl_max: that of everybody else
};
std::string_view to_string(NotOpen::Why why);

/// Who has a name.
struct Holder {
  std::string owner{};  // ClientOptions::id
  std::uint64_t token = 0;
  /// Nothing: a key with no expiry, not written by Tenure; and of a leader, which is not asked how long.
  std::optional<std::chrono::milliseconds> left{};

  bool operator==(const Holder&) const = default;
};

struct Refusal {
  enum class Code : std::uint8_t {
    held,       // somebody else has the name: see holder
    no_quorum,  // too few nodes answered: see failed
    not_open,   // the nodes give us no new leases: see not_open, and of a quarantine opens_in
    too_slow,   // granted, but so late that it was of no use; it was given back
    waited,     // the wait is over; holder, failed or not_open say what was in the way
    cancelled,  // the stop_token was stopped, or what was waited for; of stop(): it goes on by itself
    closed,     // the client is closed
    lost,       // the lease is held no more
    usage,      // an option, a name or a URL is wrong, or the call makes no sense now: nothing runs
    system,     // this machine refuses: too many open files, no more threads
  };
  struct Node {
    std::string address{};  // without its password
    std::string detail{};
  };

  Code code{};
  std::string message{};  // holds no secret
  std::optional<Holder> holder{};
  std::vector<Node> failed{};
  std::optional<NotOpen>
      not_open{};  // nothing, whatever the code: it has just changed, and may be open by now
  std::optional<std::chrono::milliseconds> opens_in{};  // an estimate
  /// Too many nodes refuse our user, password, rights or certificate, or cannot keep leases: trying again does not help.
  bool denied = false;
};

/// The name of the enumerator, for logs and metrics: "no_quorum".
std::string_view to_string(Refusal::Code code);
/// "no_quorum: " and the message, for logs.
std::string to_string(const Refusal& refusal);

}  // namespace tenure
