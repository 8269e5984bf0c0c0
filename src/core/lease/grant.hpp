// Who holds a lease, by which grant, with which token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace tenure::core {

// The fencing number of a grant. Later grants have larger ones.
using Token = std::uint64_t;
// Some stores count in doubles, which are exact up to here. A clock in microseconds gets there in the year 2255.
inline constexpr Token token_max = (Token{1} << 53U) - 1;

// One act of giving a lease. Two grants are never equal, not even to the same owner: each has a fresh nonce.
class Grant {
 public:
  Grant() = default;  // nobody's
  Grant(std::string_view owner, std::uint64_t nonce);

  // Empty of nobody's, and of one that was moved from.
  std::string_view owner() const { return owner_ ? std::string_view(*owner_) : std::string_view(); }
  std::uint64_t nonce() const { return nonce_; }
  // Another one of the same owner.
  Grant with(std::uint64_t nonce) const { return {owner_, nonce}; }

  bool operator==(const Grant& other) const {
    return nonce_ == other.nonce_ && (owner_ == other.owner_ || owner() == other.owner());
  }

 private:
  // Shared by all grants that come of one: a client has thousands, and names itself in each of their messages.
  using Owner = std::shared_ptr<const std::string>;

  Grant(Owner owner, std::uint64_t nonce) : owner_(std::move(owner)), nonce_(nonce) {}

  Owner owner_;
  std::uint64_t nonce_ = 0;
};

// For tables of grants: nonces are random.
struct GrantHash {
  std::size_t operator()(const Grant& grant) const { return static_cast<std::size_t>(grant.nonce()); }
};

// What a lease says to somebody else. What Tenure did not write is all owner, with token 0.
struct Holder {
  std::string owner;
  Token token = 0;
  bool waits = false;  // it has no grant yet: the name was given back, and is kept for it a moment

  bool operator==(const Holder&) const = default;
};

// What breaks a lease shows itself as an owner that begins so; "broken by alice@host".
inline constexpr std::string_view broken_by = "broken by ";

}  // namespace tenure::core
