// Calls for people who look at the leases of others, or break them. Clients that hold leases need none of this.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "core/lease/grant.hpp"
#include "redis/script_call.hpp"
#include "redis/value.hpp"

namespace tenure::redis {

// "<owner>#<nonce>#" of a value that Tenure wrote, else all of it: what stays the same while a grant lasts.
std::string grant_in(const std::string& value);

struct Breaking {
  std::string lease;
  std::string victim;     // as grant_in gives it
  core::Grant mark;       // what stands in its place
  core::Token token = 0;  // above the largest that the grant shows on any node
  core::Ttl block{};      // how long the mark stands where nothing is; zero: it does not
};
Command break_call(const Breaking& breaking);
enum class Broken : std::uint8_t {
  broken,
  blocked,  // nothing was there, and the mark stands
  absent,
  changed,  // something else is there
};
tl::expected<Broken, core::Failure> broken(const Value& value);

// Which of these keys, of whatever kind, show what Tenure writes into a lease. Their queues are not looked at.
Command find_leases_call(std::span<const std::string> keys);
struct FoundLease {
  std::size_t at = 0;  // among the keys
  FoundKey key{};
};
struct FoundLeases {
  std::vector<FoundLease> leases{};
  std::size_t hidden = 0;  // keys that the user may not look at
};
tl::expected<FoundLeases, core::Failure> found_leases(const Value& value, std::size_t keys);

// Gives a lease back in the name of its holder, at once, and calls the next waiter. The answer is that of a release.
Command free_call(const std::string& lease, const std::string& victim, const Keyspace& keyspace);

}  // namespace tenure::redis
