#include "redis/url.hpp"

#include <arpa/inet.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "core/base/number.hpp"
#include "core/base/text.hpp"

namespace tenure::redis {
namespace {

constexpr std::size_t url_length_max = 4096;
constexpr std::size_t host_length_max = 253;
constexpr std::size_t path_length_max = sizeof(sockaddr_un::sun_path) - 1;

using Error = std::optional<std::string>;  // nothing: all is well

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_plain(char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_'; }

std::string in_quotes(std::string_view text) { return '"' + core::printable(text) + '"'; }

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      decoded += text[at];
      continue;
    }
    if (text.size() - at < 3) return std::nullopt;
    const int high = hex_digit(text[at + 1]);
    const int low = hex_digit(text[at + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    at += 2;
  }
  return decoded;
}

std::string percent_encoded(std::string_view text, std::string_view also_plain = "") {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (is_plain(c) || also_plain.find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return encoded;
}

// The errors of this part show nothing of it.
Error read_user_info(std::string_view text, Address& address) {
  const auto colon = text.find(':');
  const auto user = percent_decoded(text.substr(0, colon));
  if (!user) return "the user name has a % that is not followed by two hex digits (write a plain % as %25)";
  if (std::any_of(user->begin(), user->end(), is_control)) return "the user name has a control byte";
  address.user = *user;
  if (colon == std::string_view::npos) return std::nullopt;
  const auto password = percent_decoded(text.substr(colon + 1));
  if (!password)
    return "the password has a % that is not followed by two hex digits (write a plain % as %25)";
  address.password = *password;
  return std::nullopt;
}

Error read_host(std::string_view host, Address& address) {
  if (host.empty()) return "the host is empty";
  if (host.front() == '[') {
    address.host = host.substr(1, host.size() - 2);
    in6_addr ignored{};
    if (inet_pton(AF_INET6, address.host.c_str(), &ignored) == 1) return std::nullopt;
    return "host " + in_quotes(host) + ": not an IPv6 address";
  }
  if (host.size() > host_length_max)
    return "the host is " + std::to_string(host.size()) + " bytes long: at most 253";
  if (!std::all_of(host.begin(), host.end(), is_plain))
    return "host " + in_quotes(host) + ": not a host name";
  address.host = host;
  return std::nullopt;
}

// What stands here may be a password: "redis://me:secret" and "redis://me@there.org:secret" lack their "@host".
Error read_port(std::string_view port, Address& address) {
  const auto value = core::read_number<int>(port);
  if (value && *value >= 1 && *value <= 65535) {
    address.port = static_cast<std::uint16_t>(*value);
    return std::nullopt;
  }
  if (!std::all_of(port.begin(), port.end(), is_digit)) {
    return "the port after host " + in_quotes(address.host) +
           " is not a number 1-65535 (not shown: it may be a password)";
  }
  return "port " + in_quotes(port) + ": not 1-65535";
}

Error read_host_and_port(std::string_view text, Address& address) {
  const bool bracketed = text.starts_with('[');
  if (bracketed && text.find(']') == std::string_view::npos) return "the host has a [ without a ]";
  const auto host_end = bracketed ? text.find(']') + 1 : std::min(text.find(':'), text.size());
  const auto rest = text.substr(host_end);
  if (!rest.empty() && rest.front() != ':') return "the host goes on after the ]";
  if (!bracketed && std::count(rest.begin(), rest.end(), ':') > 1) {
    return "the host has several colons: an IPv6 address stands in brackets, like redis://[::1]:6379";
  }
  if (auto error = read_host(text.substr(0, host_end), address)) return error;
  return rest.empty() ? std::nullopt : read_port(rest.substr(1), address);
}

Error read_database(std::string_view text, Address& address) {
  const auto value = core::read_number<int>(text);
  if (!value) return "database " + in_quotes(text) + ": not a number";
  address.database = *value;
  return std::nullopt;
}

// Others put passwords into the query, so its values are not shown.
Error unknown_query(std::string_view query) {
  return "the query has " + in_quotes(query.substr(0, query.find('='))) + ", which means nothing here";
}

Error read_tcp(std::string_view rest, Address& address) {
  const auto authority = rest.substr(0, rest.find_first_of("/?#"));
  const auto tail = rest.substr(authority.size());
  if (tail.find('@') != std::string_view::npos) {
    return "there is an @ behind the host: in a user name or password write / as %2F, ? as %3F, # as %23";
  }
  // The last @, so that no part of a password with an @ in it is taken for the host, and shown.
  const auto at = authority.rfind('@');
  const bool has_user_info = at != std::string_view::npos;
  if (has_user_info) {
    if (auto error = read_user_info(authority.substr(0, at), address)) return error;
  }
  const auto where = has_user_info ? authority.substr(at + 1) : authority;
  if (auto error = read_host_and_port(where, address)) return error;
  if (const auto query = tail.find('?'); query != std::string_view::npos)
    return unknown_query(tail.substr(query + 1));
  if (tail.find('#') != std::string_view::npos)
    return "there is a # behind the host, which means nothing here";
  return tail.size() <= 1 ? std::nullopt : read_database(tail.substr(1), address);
}

Error read_path(std::string_view text, Address& address) {
  const auto path = percent_decoded(text);
  if (!path)
    return "path " + in_quotes(text) + ": a % is not followed by two hex digits (write a plain % as %25)";
  if (path->size() <= 1) return "the path of the socket is empty: write unix:///path/to/redis.sock";
  if (std::any_of(path->begin(), path->end(), is_control))
    return "path " + in_quotes(*path) + ": it has a control byte";
  if (path->size() > path_length_max) {
    return "path " + in_quotes(*path) + ": " + std::to_string(path->size()) + " bytes long, at most " +
           std::to_string(path_length_max) + " for a socket";
  }
  address.path = *path;
  return std::nullopt;
}

Error read_unix(std::string_view rest, Address& address) {
  address.kind = Address::Kind::unix_socket;
  const auto authority = rest.substr(0, rest.find_first_of("/?#"));
  if (!authority.empty()) {
    if (authority.back() != '@')
      return "a unix:// address has no host: the path begins with a third slash, unix:///path";
    if (auto error = read_user_info(authority.substr(0, authority.size() - 1), address)) return error;
  }
  const auto tail = rest.substr(authority.size());
  if (tail.find('#') != std::string_view::npos) return "there is a # in the path: write it as %23";
  const auto query = tail.find('?');
  if (auto error = read_path(tail.substr(0, query), address)) return error;
  if (query == std::string_view::npos) return std::nullopt;
  const auto asked = tail.substr(query + 1);
  return asked.starts_with("db=") ? read_database(asked.substr(3), address) : unknown_query(asked);
}

Error read_url(std::string_view url, Address& address) {
  if (url.empty()) return "it is empty: write redis://host:port or unix:///path";
  if (url.size() > url_length_max) return "it is " + std::to_string(url.size()) + " bytes long: at most 4096";
  if (std::any_of(url.begin(), url.end(), is_control)) return "it has a control byte";
  const auto end = url.find("://");
  if (end == std::string_view::npos) return "there is no scheme: write redis://host:port or unix:///path";
  std::string scheme(url.substr(0, end));
  std::transform(scheme.begin(), scheme.end(), scheme.begin(),
                 [](char c) { return is_letter(c) ? static_cast<char>(c | 0x20) : c; });
  const auto rest = url.substr(end + 3);
  if (scheme == "unix") return read_unix(rest, address);
  address.tls = scheme == "rediss";
  if (scheme == "redis" || address.tls) return read_tcp(rest, address);
  // "me:secret@host://" has no scheme to show.
  const bool is_scheme = std::all_of(scheme.begin(), scheme.end(), is_plain);
  return (is_scheme ? "scheme " + in_quotes(scheme) + ":" : "the scheme is") + " not redis, rediss or unix";
}

// A name alone is hidden too: redis-cli reads it as a password, and people write it so.
std::string shown_user_info(const Address& address) {
  if (!address.password.empty()) return percent_encoded(address.user) + ":***@";
  return address.user.empty() ? "" : "***@";
}

std::string whole_user_info(const Address& address) {
  if (address.password.empty()) return address.user.empty() ? "" : percent_encoded(address.user) + "@";
  return percent_encoded(address.user) + ":" + percent_encoded(address.password) + "@";
}

std::string written(const Address& address, const std::string& user_info) {
  if (address.kind == Address::Kind::unix_socket) {
    const std::string database = address.database == 0 ? "" : "?db=" + std::to_string(address.database);
    return "unix://" + user_info + percent_encoded(address.path, "/@:+,=~") + database;
  }
  const bool bracketed = address.host.find(':') != std::string::npos;
  return (address.tls ? "rediss://" : "redis://") + user_info +
         (bracketed ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port) + "/" +
         std::to_string(address.database);
}

}  // namespace

tl::expected<Address, std::string> parse_url(std::string_view url) {
  Address address;
  if (auto error = read_url(url, address)) return tl::unexpected("bad Redis address: " + *error);
  return address;
}

std::string to_text(const Address& address) { return written(address, shown_user_info(address)); }

std::string whole_url(const Address& address) { return written(address, whole_user_info(address)); }

std::string without_secrets(std::string_view text) {
  std::string safe(text);
  const auto slashes = safe.find("://");
  if (slashes == std::string::npos) return safe;
  const auto at = safe.rfind('@');
  if (at == std::string::npos || at < slashes) return safe;
  return safe.replace(slashes + 3, at - slashes - 3, "***");
}

}  // namespace tenure::redis
