#include "consul/failure.hpp"

#include <string>

#include "core/base/text.hpp"

namespace tenure::consul {

using core::Applied;
using core::Failure;
using core::FailureCode;

Failure classify(int status, std::string_view body) {
  while (body.ends_with('\n')) body.remove_suffix(1);
  const std::string said = body.empty() ? "" : ": " + core::printable(body);
  const auto says = [&](std::string_view words) { return body.find(words) != std::string_view::npos; };
  if (status == 401 || says("ACL not found")) {
    return {Applied::no, FailureCode::auth, "Consul does not know the ACL token" + said};
  }
  if (status == 403 || says("Permission denied")) {
    return {Applied::no, FailureCode::no_permission,
            "the ACL token lacks a right that leases need (key_prefix write, session_prefix write)" + said};
  }
  if (says("No cluster leader")) {
    // Also when the leader is lost while it writes.
    return {Applied::perhaps, FailureCode::starting, "Consul has no leader at the moment" + said};
  }
  if (says("leadership lost") || says("not the leader") || says("No path to datacenter")) {
    return {Applied::perhaps, FailureCode::starting, "the leader of Consul is changing" + said};
  }
  if (status == 429 || says("rate limit")) {
    return {Applied::no, FailureCode::busy, "Consul gets more requests than its limits allow" + said};
  }
  if (status == 413) return {Applied::no, FailureCode::server, "Consul finds the request too large" + said};
  if (status == 400)
    return {Applied::no, FailureCode::protocol, "Consul does not understand the request" + said};
  if (status == 404) {
    return {Applied::no, FailureCode::unsupported,
            "what answers there has no such path: it is no Consul, or an old one" + said};
  }
  if (status == 503) return {Applied::perhaps, FailureCode::starting, "Consul is not ready" + said};
  return {Applied::perhaps, FailureCode::server, "Consul answered " + std::to_string(status) + said};
}

}  // namespace tenure::consul
