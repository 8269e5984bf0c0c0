#include "redis/url_parts.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <utility>

#include "core/base/number.hpp"
#include "core/base/text.hpp"

namespace tenure::redis {

namespace {

constexpr std::size_t host_length_max = 253;
constexpr std::size_t hosts_max = 16;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

UrlError read_host(std::string_view host, HostPort& address) {
  if (host.empty()) return "the host is empty";
  if (host.front() == '[') {
    address.host = host.substr(1, host.size() - 2);
    in6_addr ignored{};
    const bool whole =
        address.host.find('\0') == std::string::npos;  // what follows one would not be looked at
    if (whole && inet_pton(AF_INET6, address.host.c_str(), &ignored) == 1) return std::nullopt;
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
UrlError read_port(std::string_view port, HostPort& address) {
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

}  // namespace

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
bool is_plain(char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_'; }

std::string in_quotes(std::string_view text) { return '"' + core::printable(text) + '"'; }

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

std::string percent_encoded(std::string_view text, std::string_view also_plain) {
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

UrlError read_user_info(std::string_view text, std::string& user, std::string& password) {
  const auto colon = text.find(':');
  auto decoded = percent_decoded(text.substr(0, colon));
  if (!decoded)
    return "the user name has a % that is not followed by two hex digits (write a plain % as %25)";
  if (std::any_of(decoded->begin(), decoded->end(), is_control)) return "the user name has a control byte";
  user = std::move(*decoded);
  if (colon == std::string_view::npos) return std::nullopt;
  decoded = percent_decoded(text.substr(colon + 1));
  if (!decoded) return "the password has a % that is not followed by two hex digits (write a plain % as %25)";
  password = std::move(*decoded);
  return std::nullopt;
}

UrlError read_host_and_port(std::string_view text, HostPort& address) {
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

UrlError read_hosts(std::string_view text, std::uint16_t usual_port, const std::string& what,
                    std::vector<HostPort>& where) {
  for (std::size_t from = 0; from <= text.size();) {
    const auto comma = std::min(text.find(',', from), text.size());
    HostPort place{.port = usual_port};
    if (auto error = read_host_and_port(text.substr(from, comma - from), place)) return error;
    if (std::find(where.begin(), where.end(), place) != where.end())
      return "the " + what + " " + to_text(place) + " is listed twice";
    where.push_back(std::move(place));
    from = comma + 1;
  }
  if (where.size() <= hosts_max) return std::nullopt;
  return "it lists " + std::to_string(where.size()) + " " + what + "s: at most " + std::to_string(hosts_max);
}

UrlError read_database(std::string_view text, int& database) {
  const auto value = core::read_number<int>(text);
  if (!value) return "database " + in_quotes(text) + ": not a number";
  database = *value;
  return std::nullopt;
}

UrlError unknown_query(std::string_view query) {
  return "the query has " + in_quotes(query.substr(0, query.find('='))) + ", which means nothing here";
}

std::string to_text(const HostPort& where) {
  const bool bracketed = where.host.find(':') != std::string::npos;
  return (bracketed ? "[" + where.host + "]" : where.host) + ":" + std::to_string(where.port);
}

std::string to_text(const std::vector<HostPort>& where) {
  std::string text;
  for (const HostPort& place : where) text += (text.empty() ? "" : ",") + to_text(place);
  return text;
}

}  // namespace tenure::redis
