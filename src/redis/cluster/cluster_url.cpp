#include "redis/cluster/cluster_url.hpp"

namespace tenure::redis {

namespace {

constexpr std::uint16_t usual_port = 6379;

UrlError read_tail(std::string_view tail) {
  if (tail.find('@') != std::string_view::npos) {
    return "there is an @ behind the hosts: in a user name or password write / as %2F, ? as %3F, # as %23";
  }
  if (const auto query = tail.find('?'); query != std::string_view::npos)
    return unknown_query(tail.substr(query + 1));
  if (tail.find('#') != std::string_view::npos)
    return "there is a # behind the hosts, which means nothing here";
  if (tail.size() <= 1) return std::nullopt;
  int database = 0;
  if (auto error = read_database(tail.substr(1), database)) return error;
  if (database == 0) return std::nullopt;
  return "database " + std::to_string(database) + ": a Redis Cluster has only database 0";
}

}  // namespace

UrlError read_cluster(std::string_view rest, Address& address) {
  address.kind = Address::Kind::cluster;
  const auto authority = rest.substr(0, rest.find_first_of("/?#"));
  if (auto error = read_tail(rest.substr(authority.size()))) return error;
  // The last @, so that no part of a password with an @ in it is taken for a host, and shown.
  const auto at = authority.rfind('@');
  const bool has_user_info = at != std::string_view::npos;
  if (has_user_info) {
    if (auto error = read_user_info(authority.substr(0, at), address.user, address.password)) return error;
  }
  const auto hosts = has_user_info ? authority.substr(at + 1) : authority;
  return read_hosts(hosts, usual_port, "node", address.seeds);
}

std::string cluster_url(const Address& address, const std::string& user_info) {
  return (address.tls ? "rediss-cluster://" : "redis-cluster://") + user_info + to_text(address.seeds);
}

}  // namespace tenure::redis
