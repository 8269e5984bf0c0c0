#include "redis/sentinel_url.hpp"

#include <algorithm>
#include <utility>

namespace tenure::redis {

namespace {

constexpr std::uint16_t sentinel_port = 26379;
constexpr std::size_t master_length_max = 253;

// No error shows a value.
UrlError read_query(std::string_view text, SentinelGroup& group) {
  for (std::size_t from = 0; from <= text.size();) {
    const auto end = std::min(text.find('&', from), text.size());
    const auto pair = text.substr(from, end - from);
    const auto key = std::ranges::find_if(sentinel_keys, [&](auto it) { return pair.starts_with(it); });
    if (key == sentinel_keys.end()) return unknown_query(pair);
    auto value = percent_decoded(pair.substr(key->size()));
    const std::string name(key->substr(0, key->size() - 1));
    if (!value) return name + " has a % that is not followed by two hex digits (write a plain % as %25)";
    if (std::ranges::any_of(*value, is_control)) return name + " has a control byte";
    (key == sentinel_keys.begin() ? group.user : group.password) = std::move(*value);
    from = end + 1;
  }
  if (group.password.empty() && !group.user.empty())
    return "sentinel_user is of no use without sentinel_password";
  return std::nullopt;
}

UrlError read_master(std::string_view text, SentinelGroup& group) {
  if (text.find('?') != std::string_view::npos) {
    return "the query stands before the #, as in /0?sentinel_password=…#mymaster (in the name write ? as "
           "%3F)";
  }
  auto name = percent_decoded(text);
  if (!name) return "the name of the master has a % that is not followed by two hex digits";
  if (name->empty()) {
    return "the name by which the Sentinels know the master is missing: it stands at the end, "
           "as in redis-sentinel://host:26379/0#mymaster";
  }
  if (name->size() > master_length_max) return "the name of the master is longer than 253 bytes";
  if (std::ranges::any_of(*name, is_control)) return "the name of the master has a control byte";
  group.master = std::move(*name);
  return std::nullopt;
}

std::string query_of(const std::string& user, const std::string& password) {
  if (password.empty()) return "";
  return "?" + (user.empty() ? "" : std::string(sentinel_keys[0]) + user + "&") +
         std::string(sentinel_keys[1]) + password;
}

}  // namespace

UrlError read_sentinels(std::string_view rest, Address& address) {
  address.kind = Address::Kind::sentinel;
  address.port = Address{}.port;
  const auto authority = rest.substr(0, rest.find_first_of("/?#"));
  const auto tail = rest.substr(authority.size());
  if (tail.find('@') != std::string_view::npos) {
    return "there is an @ behind the hosts: in a user name or password write / as %2F, ? as %3F, # as %23, "
           "and behind the hosts @ as %40";
  }
  // The last @, so that no part of a password with an @ in it is taken for a host, and shown.
  const auto at = authority.rfind('@');
  const bool has_user_info = at != std::string_view::npos;
  if (has_user_info) {
    if (auto error = read_user_info(authority.substr(0, at), address.user, address.password)) return error;
  }
  const auto hosts = has_user_info ? authority.substr(at + 1) : authority;
  if (auto error = read_hosts(hosts, sentinel_port, "Sentinel", address.group.sentinels)) return error;
  const auto hash = std::min(tail.find('#'), tail.size());
  const auto before_hash = tail.substr(0, hash);
  const auto query = std::min(before_hash.find('?'), before_hash.size());
  const auto path = before_hash.substr(0, query);
  if (path.size() > 1) {
    if (auto error = read_database(path.substr(1), address.database)) return error;
  }
  if (query < before_hash.size()) {
    if (auto error = read_query(before_hash.substr(query + 1), address.group)) return error;
  }
  return read_master(tail.substr(std::min(hash + 1, tail.size())), address.group);
}

std::string sentinel_url(const Address& address, const std::string& user_info, const std::string& query) {
  return (address.tls ? "rediss-sentinel://" : "redis-sentinel://") + user_info +
         to_text(address.group.sentinels) + "/" + std::to_string(address.database) + query + "#" +
         percent_encoded(address.group.master);
}

std::string hidden_query(const SentinelGroup& group) {
  return query_of(group.user.empty() ? "" : "***", group.password.empty() ? "" : "***");
}

std::string sentinel_query(const SentinelGroup& group) {
  return query_of(percent_encoded(group.user), percent_encoded(group.password));
}

}  // namespace tenure::redis
