#include "consul/url.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/base/names.hpp"
#include "core/base/number.hpp"
#include "core/base/text.hpp"

namespace tenure::consul {

namespace {

constexpr std::string_view usual_port = ":8500";
constexpr std::string_view usual_tls_port = ":8501";
// Consul's own limit.
constexpr unsigned lock_delay_max = 60;

tl::unexpected<std::string> refuse(std::string_view why) {
  return tl::unexpected("the address of a Consul is consul://host[:port][/prefix]: " + std::string(why));
}

// Where the port begins, with its colon; npos where there is none. The colons of an IPv6 address are in brackets.
std::size_t port_of(std::string_view place) {
  const auto bracket = place.rfind(']');
  return place.find(':', bracket == std::string_view::npos ? 0 : bracket);
}

std::string_view host_error(std::string_view place) {
  const auto colon = port_of(place);
  const std::string_view host = place.substr(0, colon);
  constexpr std::string_view in_hosts = "-._[]:%";
  const auto belongs = [&](char sign) {
    const auto byte = static_cast<unsigned char>(sign);
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           in_hosts.find(sign) != std::string_view::npos;
  };
  if (host.empty() || !std::ranges::all_of(host, belongs) || host.starts_with('[') != host.ends_with(']')) {
    return "it names no host";
  }
  if (colon == std::string_view::npos) return {};
  const auto port = core::read_number<std::uint16_t>(place.substr(colon + 1));
  return port && *port > 0 ? std::string_view{} : "its port is no number from 1 to 65535";
}

tl::expected<void, std::string> read_parameter(std::string_view parameter, Address& address) {
  const auto equals = std::min(parameter.find('='), parameter.size());
  const std::string_view name = parameter.substr(0, equals);
  if (name == "token")
    return refuse("a token in it is seen by others; CONSUL_HTTP_TOKEN or CONSUL_HTTP_TOKEN_FILE tells it");
  if (name != "lock-delay")
    return refuse("there is no parameter " + core::printable(name, 40) + ", but lock-delay");
  std::string_view value = parameter.substr(std::min(equals + 1, parameter.size()));
  address.lock_delay = value;
  if (!value.ends_with('s')) return refuse("lock-delay is in whole seconds, as 15s");
  value.remove_suffix(1);
  const auto seconds = core::read_number<unsigned>(value);
  if (!seconds || *seconds > lock_delay_max) return refuse("lock-delay is from 0s to 60s");
  return {};
}

}  // namespace

tl::expected<Address, std::string> parse_url(std::string_view url) {
  if (!is_url(url)) return refuse("this is none");
  Address address;
  address.tls = url.starts_with(tls_scheme);
  url.remove_prefix(address.tls ? tls_scheme.size() : plain_scheme.size());
  std::string_view parameters;
  if (const auto question = url.find('?'); question != std::string_view::npos) {
    parameters = url.substr(question + 1);
    url = url.substr(0, question);
  }
  const auto slash = std::min(url.find('/'), url.size());
  const std::string_view place = url.substr(0, slash);
  if (url.find('@') < slash) {
    return refuse(
        "a secret in it is seen by others; CONSUL_HTTP_TOKEN or CONSUL_HTTP_TOKEN_FILE tells the token");
  }
  if (const auto error = host_error(place); !error.empty()) return refuse(error);
  address.place = place;
  if (port_of(place) == std::string_view::npos) address.place += address.tls ? usual_tls_port : usual_port;

  std::string_view prefix = url.substr(std::min(slash + 1, url.size()));
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  if (!prefix.empty()) {
    if (auto error = core::name_error("the prefix", prefix)) return refuse(*error);
    if (prefix.starts_with('/') || prefix.find("//") != std::string_view::npos) {
      return refuse("there is an empty part in its prefix");
    }
    address.prefix = prefix;
  }
  while (!parameters.empty()) {
    const auto end = std::min(parameters.find('&'), parameters.size());
    if (auto read = read_parameter(parameters.substr(0, end), address); !read) {
      return tl::unexpected(std::move(read.error()));
    }
    parameters.remove_prefix(std::min(end + 1, parameters.size()));
  }
  return address;
}

}  // namespace tenure::consul
