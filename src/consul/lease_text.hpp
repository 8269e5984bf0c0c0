// The value of a lease's key: who holds it, by which grant, for how long, and what its token is counted from.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "consul/entry.hpp"
#include "core/message.hpp"

namespace tenure::consul {

// The token of a grant is the number of the change that gave it, above a base: what the record of that epoch says. Of a lease that
// was put back, or has moved to another session, the change is another one, and so the token is written down.
struct Lease {
  core::Grant grant{};
  core::Ttl ttl{};
  core::Token base = 0;
  std::optional<core::Token> token{};

  core::Token token_at(Index modified) const { return token.value_or(base + modified); }
};

std::string lease_text(const Lease& lease);
// Returns nullopt for what Tenure did not write.
std::optional<Lease> read_lease(std::string_view text);

// The lease by which somebody of Tenure holds that key; nullopt where nobody does.
std::optional<Lease> lease_in(const Entry& entry);
// What it shows to who looks.
core::KeyState key_state(const Entry& entry);
// Who keeps us from locking it, by what Consul says of the session that does. Nothing in name and ttl: that is not known.
struct OtherHolder {
  std::string name{};
  std::string node{};
  std::optional<core::Ttl> ttl{};
};
core::Held held_by(const Entry& entry, const OtherHolder& other);

}  // namespace tenure::consul
