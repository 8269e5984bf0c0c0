// How Consul writes down the values of keys, which may hold any bytes, in JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tenure::consul {

std::string base64(std::string_view bytes);
// Returns nullopt for what base64() does not write.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace tenure::consul
