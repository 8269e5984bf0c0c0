// Sessions of Consul: while one lives, what it has locked is locked. Ours lives as long as it is renewed within its TTL, and
// whatever becomes of the health checks of the node whose agent is asked: a check that fails for a moment would take leases from
// holders who believe in them for their whole time. It ends early all the same where that node is deregistered, as when its agent
// leaves, or where somebody destroys it: nobody else is given its keys then until the lock-delay is over.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "consul/lease_text.hpp"
#include "core/message.hpp"

namespace tenure::consul {

// What Consul takes. For want of renewals it never ends a session before its TTL is over, and ends it after twice its TTL at the
// latest.
inline constexpr core::Ttl session_ttl_min = std::chrono::seconds(10);
inline constexpr core::Ttl session_ttl_max = std::chrono::hours(24);

// The longest that Consul takes.
inline constexpr core::Ttl lock_delay_max = std::chrono::seconds(60);

// So long that a holder has ceased to believe in its lease when others can be given it, whatever has ended its session; what is
// longer than the longest has to be asked for by somebody who knows that nothing does.
std::string lock_delay_for(core::Ttl ttl);

struct SessionWish {
  std::string name{};
  core::Ttl ttl{};
  std::string lock_delay{};
};
std::string session_text(const SessionWish& wish);
// Of the one that was created.
tl::expected<std::string, core::Failure> read_session_id(std::string_view body);
// What GET /v1/session/info says; nullopt: there is no such session.
tl::expected<std::optional<OtherHolder>, core::Failure> read_session(std::string_view body);

}  // namespace tenure::consul
