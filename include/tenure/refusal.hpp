// Why something was not done: one answer for each reason, and a sentence for a person.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenure {

struct Refusal {
  enum class Code : std::uint8_t {
    held,       // somebody else has the name: see holder
    no_quorum,  // too few nodes answered: see failed
    not_open,   // the nodes give us no new leases: a quarantine (see opens_in), or another ttl_max
    too_slow,   // granted, but so late that it was of no use; it was given back
    waited,     // the wait is over; holder, failed or opens_in say what was in the way
    cancelled,  // the stop_token was stopped
    closed,     // the client is closed
    lost,       // the lease is held no more
    usage,      // an option, a name or a URL is wrong
    system,     // this machine refuses: too many open files, no more threads
  };
  struct Holder {
    std::string owner{};
    std::uint64_t token = 0;
    std::optional<std::chrono::milliseconds> left{};  // nothing: a key with no expiry, not written by Tenure
  };
  struct Node {
    std::string address{};  // without its password
    std::string detail{};
  };

  Code code{};
  std::string message{};  // holds no secret
  std::optional<Holder> holder{};
  std::vector<Node> failed{};
  std::optional<std::chrono::milliseconds> opens_in{};  // an estimate
  /// Too many nodes refuse our user, password, rights or certificate: trying again does not help.
  bool denied = false;
};

/// The name of the enumerator, for logs and metrics: "no_quorum".
std::string_view to_string(Refusal::Code code);
/// "no_quorum: " and the message, for logs.
std::string to_string(const Refusal& refusal);

}  // namespace tenure
