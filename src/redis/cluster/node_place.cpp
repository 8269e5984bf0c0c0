#include "redis/cluster/node_place.hpp"

#include "redis/url_parts.hpp"

namespace tenure::redis {

std::optional<std::string> read_node_host(std::string_view text) {
  if (text.empty() || text == "?") return "";
  HostPort place;
  const bool is_ipv6 = text.find(':') != std::string_view::npos && !text.starts_with('[');
  if (read_host_and_port(is_ipv6 ? "[" + std::string(text) + "]" : std::string(text), place))
    return std::nullopt;
  return place.port == 0 ? std::optional(place.host) : std::nullopt;
}

}  // namespace tenure::redis
