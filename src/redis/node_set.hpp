// Which nodes decide together: core/lease/node_set.hpp, of addresses of Redis.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "redis/url.hpp"

namespace tenure::redis {

// By where they are, whoever we are there.
std::string node_set(std::span<const Address> addresses, std::string_view name = {});

}  // namespace tenure::redis
