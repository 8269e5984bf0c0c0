#include "http/listen_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <optional>

#include "core/base/number.hpp"
#include "core/base/text.hpp"

namespace tenure::http {

namespace {

constexpr std::string_view mapped = "::ffff:";  // an IPv4 address, written as one of IPv6

std::string no_address(std::string_view text) {
  return "\"" + core::printable(text, 60) +
         "\" is not an address to listen on: write 127.0.0.1:9090, [::1]:9090, or only a port";
}

// The host and the port of "HOST:PORT", "[HOST]:PORT" or "PORT".
struct Parts {
  std::string_view host;
  std::string_view port;
  bool brackets = false;
};

std::optional<Parts> split(std::string_view text) {
  if (text.starts_with('[')) {
    const auto end = text.find("]:");
    if (end == std::string_view::npos) return std::nullopt;
    return Parts{text.substr(1, end - 1), text.substr(end + 2), true};
  }
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return Parts{"", text};
  return Parts{text.substr(0, colon), text.substr(colon + 1)};
}

}  // namespace

std::string canonical_ip(std::string_view text) {
  const std::string given(text);
  std::array<char, INET6_ADDRSTRLEN> written{};
  in_addr v4{};
  if (inet_pton(AF_INET, given.c_str(), &v4) == 1) {
    return inet_ntop(AF_INET, &v4, written.data(), written.size());
  }
  in6_addr v6{};
  if (inet_pton(AF_INET6, given.c_str(), &v6) == 1) {
    return inet_ntop(AF_INET6, &v6, written.data(), written.size());
  }
  return "";
}

bool is_loopback_ip(std::string_view canonical) {
  if (canonical.starts_with(mapped)) canonical.remove_prefix(mapped.size());
  return canonical == "::1" ||
         (canonical.starts_with("127.") && canonical.find(':') == std::string_view::npos);
}

bool ListenAddress::is_loopback() const { return is_loopback_ip(ip); }

bool ListenAddress::is_unspecified() const { return ip == "0.0.0.0" || ip == "::"; }

std::string ListenAddress::text() const { return (v6() ? "[" + ip + "]" : ip) + ":" + std::to_string(port); }

tl::expected<ListenAddress, std::string> parse_listen_address(std::string_view text) {
  const auto parts = split(text);
  if (!parts) return tl::unexpected(no_address(text));
  ListenAddress address;
  if (parts->host == "*" && !parts->brackets) {
    address.ip = "0.0.0.0";
  } else if (!parts->host.empty() && parts->host != "localhost") {
    address.ip = canonical_ip(parts->host);
    // Without brackets the port of an IPv6 address cannot be told from the rest of it.
    if (address.ip.empty() || address.v6() != parts->brackets) return tl::unexpected(no_address(text));
  } else if (parts->brackets) {
    return tl::unexpected(no_address(text));
  }
  const auto port = core::read_number<std::uint16_t>(parts->port);
  if (!port) return tl::unexpected(no_address(text));
  address.port = *port;
  return address;
}

}  // namespace tenure::http
