// The value of a lease key, "<owner>#<nonce>#<token>": who holds it, by which grant, with which token.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tenure::core {

// The fencing number of a grant. Later grants have larger ones.
using Token = std::uint64_t;
// Scripts count in doubles, which are exact up to here. A clock in microseconds gets there in the year 2255.
inline constexpr Token token_max = (Token{1} << 53U) - 1;

// One act of giving a lease. Two grants never look alike, not even to the same owner: each has a
// fresh nonce.
class Grant {
 public:
  Grant() = default;
  Grant(std::string_view owner, std::uint64_t nonce);

  // "<owner>#<nonce>#": what every value of this grant begins with, whatever its token.
  const std::string& stamp() const { return stamp_; }
  // What the lease key shows once the token is known.
  std::string value(Token token) const { return stamp_ + std::to_string(token); }

  bool operator==(const Grant&) const = default;

 private:
  std::string stamp_;
};

// What a lease key's value says to somebody else. A value that Tenure did not write is all owner,
// with token 0.
struct Holder {
  std::string owner;
  Token token = 0;
  bool waits = false;  // it has no grant yet: the name was given back, and is kept for it a moment

  bool operator==(const Holder&) const = default;
};

Holder read_holder(std::string_view value);

// What breaks a lease shows itself as an owner that begins so; "broken by alice@host".
inline constexpr std::string_view broken_by = "broken by ";

}  // namespace tenure::core
