// The part of an address behind redis-cluster://, read and written: url.hpp says how it looks.
#pragma once

#include <string>
#include <string_view>

#include "redis/url_parts.hpp"

namespace tenure::redis {

UrlError read_cluster(std::string_view rest, Address& address);

// With the user info as it is.
std::string cluster_url(const Address& address, const std::string& user_info);

}  // namespace tenure::redis
