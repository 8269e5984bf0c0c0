#include "cli/doctor/node_findings.hpp"
#include "core/base/check.hpp"
#include "core/base/text.hpp"

namespace tenure::cli {

namespace {

using core::FailureCode;

std::string advice_for(const NodeFacts& node) {
  if (node.address.kind == redis::Address::Kind::sentinel) {
    return "see which of the Sentinels answer and whom they name, and correct their addresses, the name "
           "behind the #, "
           "or the passwords; a master that died is replaced when they agree";
  }
  if (node.address.kind == redis::Address::Kind::cluster && node.down->code == FailureCode::no_permission) {
    return "ACL SETUSER " + (node.address.user.empty() ? "default" : core::printable(node.address.user, 60)) +
           " " + std::string(cluster_rights) + ", on each of its servers";
  }
  if (node.address.kind == redis::Address::Kind::cluster) {
    return "see which of its nodes answer (redis-cli cluster nodes), and correct their addresses or the "
           "password";
  }
  const bool is_socket = node.address.kind == redis::Address::Kind::unix_socket;
  switch (node.down->code) {
    case FailureCode::unreachable:
      return is_socket ? "start that Redis (unixsocket in its redis.conf), or correct the path"
                       : "start that Redis, or correct host and port; a firewall may be in the way, too";
    case FailureCode::timed_out:
      return "see whether it hangs (its log, redis-cli --latency) or a firewall drops what is sent to it";
    case FailureCode::auth:
      return "give a user and a password that it knows, as in redis://user:password@host, or in a "
             "--redis-file";
    case FailureCode::no_permission:
      return "allow it to that user (ACL SETUSER), or give another one";
    case FailureCode::tls:
      return "use rediss:// where it speaks TLS and redis:// where it does not; --tls-ca says whom to trust";
    case FailureCode::starting:
      return "wait until it has loaded its data";
    default:
      return "look at its log";
  }
}

}  // namespace

Finding down_finding(const NodeFacts& node) {
  core::must(node.down.has_value(), "only a node that is down is said to be");
  return {Severity::error,
          "down",
          {},
          "it is down: " + node.down->detail,
          "it has no vote: no lease is granted there",
          advice_for(node)};
}

}  // namespace tenure::cli
