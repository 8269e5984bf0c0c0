#include "redis/url.hpp"

#include <sys/un.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "redis/cluster/cluster_url.hpp"
#include "redis/sentinel_url.hpp"
#include "redis/url_parts.hpp"

namespace tenure::redis {
namespace {

constexpr std::size_t url_length_max = 4096;
constexpr std::size_t path_length_max = sizeof(sockaddr_un::sun_path) - 1;

UrlError read_tcp(std::string_view rest, Address& address) {
  const auto authority = rest.substr(0, rest.find_first_of("/?#"));
  const auto tail = rest.substr(authority.size());
  if (tail.find('@') != std::string_view::npos) {
    return "there is an @ behind the host: in a user name or password write / as %2F, ? as %3F, # as %23";
  }
  // The last @, so that no part of a password with an @ in it is taken for the host, and shown.
  const auto at = authority.rfind('@');
  const bool has_user_info = at != std::string_view::npos;
  if (has_user_info) {
    if (auto error = read_user_info(authority.substr(0, at), address.user, address.password)) return error;
  }
  const auto where = has_user_info ? authority.substr(at + 1) : authority;
  HostPort place{.port = address.port};
  if (auto error = read_host_and_port(where, place)) return error;
  address.host = std::move(place.host);
  address.port = place.port;
  if (const auto query = tail.find('?'); query != std::string_view::npos)
    return unknown_query(tail.substr(query + 1));
  if (tail.find('#') != std::string_view::npos)
    return "there is a # behind the host, which means nothing here";
  return tail.size() <= 1 ? std::nullopt : read_database(tail.substr(1), address.database);
}

UrlError read_path(std::string_view text, Address& address) {
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

UrlError read_unix(std::string_view rest, Address& address) {
  address.kind = Address::Kind::unix_socket;
  const auto authority = rest.substr(0, rest.find_first_of("/?#"));
  if (!authority.empty()) {
    if (authority.back() != '@')
      return "a unix:// address has no host: the path begins with a third slash, unix:///path";
    const auto user_info = authority.substr(0, authority.size() - 1);
    if (auto error = read_user_info(user_info, address.user, address.password)) return error;
  }
  const auto tail = rest.substr(authority.size());
  if (tail.find('#') != std::string_view::npos) return "there is a # in the path: write it as %23";
  const auto query = tail.find('?');
  if (auto error = read_path(tail.substr(0, query), address)) return error;
  if (query == std::string_view::npos) return std::nullopt;
  const auto asked = tail.substr(query + 1);
  return asked.starts_with("db=") ? read_database(asked.substr(3), address.database) : unknown_query(asked);
}

UrlError read_url(std::string_view url, Address& address) {
  if (url.empty()) return "it is empty: write redis://host:port or unix:///path";
  if (url.size() > url_length_max) return "it is " + std::to_string(url.size()) + " bytes long: at most 4096";
  if (std::any_of(url.begin(), url.end(), is_control)) return "it has a control byte";
  const auto end = url.find("://");
  if (end == std::string_view::npos) return "there is no scheme: write redis://host:port or unix:///path";
  std::string scheme(url.substr(0, end));
  std::transform(scheme.begin(), scheme.end(), scheme.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  const auto rest = url.substr(end + 3);
  if (scheme == "unix") return read_unix(rest, address);
  address.tls = scheme.starts_with("rediss");
  if (scheme == "redis" || scheme == "rediss") return read_tcp(rest, address);
  if (scheme == "redis-sentinel" || scheme == "rediss-sentinel") return read_sentinels(rest, address);
  if (scheme == "redis-cluster" || scheme == "rediss-cluster") return read_cluster(rest, address);
  // "me:secret@host://" has no scheme to show.
  const bool is_scheme = std::all_of(scheme.begin(), scheme.end(), is_plain);
  return (is_scheme ? "scheme " + in_quotes(scheme) + ":" : "the scheme is") +
         " not redis, rediss, redis-sentinel, rediss-sentinel, redis-cluster, rediss-cluster or unix";
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

enum class Secrets : std::uint8_t { hidden, shown };

std::string written(const Address& address, Secrets secrets) {
  const std::string user_info =
      secrets == Secrets::shown ? whole_user_info(address) : shown_user_info(address);
  if (address.kind == Address::Kind::sentinel) {
    return sentinel_url(
        address, user_info,
        secrets == Secrets::shown ? sentinel_query(address.group) : hidden_query(address.group));
  }
  if (address.kind == Address::Kind::cluster) return cluster_url(address, user_info);
  if (address.kind == Address::Kind::unix_socket) {
    const std::string database = address.database == 0 ? "" : "?db=" + std::to_string(address.database);
    return "unix://" + user_info + percent_encoded(address.path, "/@:+,=~") + database;
  }
  return (address.tls ? "rediss://" : "redis://") + user_info +
         to_text(HostPort{address.host, address.port}) + "/" + std::to_string(address.database);
}

}  // namespace

tl::expected<Address, std::string> parse_url(std::string_view url) {
  Address address;
  if (auto error = read_url(url, address)) return tl::unexpected("bad Redis address: " + *error);
  return address;
}

std::string to_text(const Address& address) { return written(address, Secrets::hidden); }

std::string whole_url(const Address& address) { return written(address, Secrets::shown); }

bool has_credentials(const Address& address) {
  return !address.user.empty() || !address.password.empty() || !address.group.user.empty() ||
         !address.group.password.empty();
}

std::string without_secrets(std::string_view text) {
  std::string safe(text);
  const auto slashes = safe.find("://");
  if (slashes == std::string::npos) return safe;
  // The query first: in a password there an @ would be taken for the last one.
  for (const std::string_view key : sentinel_keys) {
    const auto found = safe.find(key, slashes);
    if (found == std::string::npos) continue;
    const auto from = found + key.size();
    safe.replace(from, std::min(safe.find('&', from), safe.size()) - from, "***");
  }
  const auto at = safe.rfind('@');
  if (at == std::string::npos || at < slashes) return safe;
  return safe.replace(slashes + 3, at - slashes - 3, "***");
}

}  // namespace tenure::redis
