// The part of an address behind redis-sentinel://, read and written: url.hpp says how it looks.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "redis/url_parts.hpp"

namespace tenure::redis {

inline constexpr std::array<std::string_view, 2> sentinel_keys{"sentinel_user=", "sentinel_password="};

UrlError read_sentinels(std::string_view rest, Address& address);

// With user info and query as they are.
std::string sentinel_url(const Address& address, const std::string& user_info, const std::string& query);
// Who we are to the Sentinels, as a query, with stars in place of all of it, or as it is.
std::string hidden_query(const SentinelGroup& group);
std::string sentinel_query(const SentinelGroup& group);

}  // namespace tenure::redis
