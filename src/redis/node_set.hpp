// Which nodes decide together, as one word that every client of them says: a majority of three and a majority of five
// that include them need not share a node, and neither need two sets of three that differ in one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "redis/url.hpp"

namespace tenure::redis {

// "1" for a single Redis, by whatever address; else how many there are, and a name: the one given, or one made from
// their addresses, in any order and by any user.
std::string node_set(std::span<const Address> addresses, std::string_view name = {});

// Why this cannot name a set, or nothing when it can: it is a word in the record.
std::optional<std::string> node_set_error(std::string_view name);

}  // namespace tenure::redis
