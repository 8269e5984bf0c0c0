// Which prefixes are accepted, so that the keys of one are never those of another.
#pragma once

#include <optional>
#include <string>

namespace tenure::redis {

// Why this cannot be the prefix of a Keyspace, or nothing when it can: besides what no name may be, one under which a key
// could be the same as a key under the usual prefix. Two prefixes of which one begins with the other are not noticed.
std::optional<std::string> prefix_error(const std::string& prefix);

}  // namespace tenure::redis
