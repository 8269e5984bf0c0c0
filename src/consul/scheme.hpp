// Which URLs are those of a Consul. For who has nothing else to do with it.
#pragma once

#include <string_view>

namespace tenure::consul {

inline constexpr std::string_view plain_scheme = "consul://";
inline constexpr std::string_view tls_scheme = "consuls://";

inline bool is_url(std::string_view text) {
  return text.starts_with(plain_scheme) || text.starts_with(tls_scheme);
}

}  // namespace tenure::consul
