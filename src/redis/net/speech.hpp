// What does a port speak? For a person who wants to know why nothing came of a conversation: a Redis that is
// spoken to in TLS where it expects plain text says nothing at all, and one that expects TLS just hangs up.
// Tells the port no secret.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.hpp"
#include "core/notice.hpp"
#include "redis/text/nodes.hpp"
#include "redis/url.hpp"

namespace tenure::redis {

inline constexpr std::string_view speaks_tls_text = "this port speaks TLS: its address begins with rediss://";
// A failure of the network, with how the address should have been written where that is why.
core::Failure with_scheme(core::Failure failure, const Address& address);
// Bytes that are no words of Redis, for that reason.
core::Failure unreadable(std::string_view bytes, std::string why);

enum class Speech : std::uint8_t { unknown, plain_text, tls };

// Asks in the other way than the address says: only a port that speaks that one is told apart.
Speech other_speech(const Address& address, core::Duration timeout);

// Looks whether the port speaks otherwise than its address says, where it failed in the way that this shows.
// Takes a moment: for a program that is about to end.
core::Failure diagnosed(const Address& address, core::Failure failure);
std::vector<core::NodeFailure> diagnosed(std::vector<core::NodeFailure> failures, const Nodes& nodes);

}  // namespace tenure::redis
