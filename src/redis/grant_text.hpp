// The value of a lease key, "<owner>#<nonce>#<token>": who holds it, by which grant, with which token.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/message.hpp"

namespace tenure::redis {

// "<owner>#<nonce>#": what every value of this grant begins with, whatever its token.
std::string stamp(const core::Grant& grant);
// What the lease key shows once the token is known.
std::string value(const core::Grant& grant, core::Token token);

// The stamp in a value: all of it before the token. Empty for a value that has none.
std::string_view stamp_in(std::string_view value);

// Reads a stamp. Returns nullopt for what stamp() does not write.
std::optional<core::Grant> read_stamp(std::string_view text);
// Reads a value. One that Tenure did not write is all owner, with token 0.
core::Holder read_holder(std::string_view value);

// What a key shows, by its value, PTTL and the length of its queue. The value is empty where the key is not a string.
core::KeyState key_state(std::string_view value, std::int64_t pttl, std::int64_t waiters);
// What PTTL says, where the key exists. Returns nullopt for a key that has no expiry.
std::optional<core::Ttl> time_left(std::int64_t pttl);
// Redis takes expiries that overflow our durations; who wrote such a key wanted to say: for ever.
inline constexpr core::Ttl left_max = std::chrono::years(100);

}  // namespace tenure::redis
