#include "kubernetes/api_call.hpp"

#include "core/base/text.hpp"
#include "poll/json_text.hpp"

namespace tenure::kubernetes {

namespace {

using core::Applied;
using core::FailureCode;

// The message of a Status object; empty where there is none.
std::string message_in(const std::string& body) {
  const auto read = poll::read_json(body);
  const auto* object = read ? read->if_object() : nullptr;
  const auto* message = object != nullptr ? object->if_contains("message") : nullptr;
  const auto* text = message != nullptr ? message->if_string() : nullptr;
  return text != nullptr ? core::printable(std::string_view(*text), 400) : std::string();
}

FailureCode code_of(int status) {
  switch (status) {
    case 401:
      return FailureCode::auth;
    case 403:
      return FailureCode::no_permission;
    case 404:
      return FailureCode::not_set_up;
    case 408:
    case 504:
      return FailureCode::timed_out;
    case 409:
    case 429:
      return FailureCode::busy;
    case 503:
      return FailureCode::starting;
    default:
      return FailureCode::server;
  }
}

std::string sentence(int status, const std::string& said) {
  const std::string after = said.empty() ? "" : ": " + said;
  switch (status) {
    case 401:
      return "the API server does not accept the credentials" + after;
    case 403:
      return "the API server does not allow it" + after;
    case 404:
      return "the API server has no such namespace or resource" + after;
    case 429:
      return "the API server has too much to do" + after;
    case 503:
      return "the API server is not ready" + after;
    default:
      return "the API server answers " + std::to_string(status) + after;
  }
}

}  // namespace

std::string leases_target(const std::string& name_space) {
  return "/apis/coordination.k8s.io/v1/namespaces/" + name_space + "/leases";
}

std::string lease_target(const std::string& name_space, const std::string& object) {
  return leases_target(name_space) + "/" + object;
}

std::string list_target(const std::string& name_space, const std::string& object) {
  return leases_target(name_space) + "?fieldSelector=metadata.name%3D" + object;
}

std::string watch_target(const std::string& name_space, const std::string& object, const std::string& version,
                         std::chrono::seconds at_most) {
  std::string target = leases_target(name_space) + "?watch=true&allowWatchBookmarks=true&timeoutSeconds=" +
                       std::to_string(at_most.count()) + "&resourceVersion=" + version;
  if (!object.empty()) target += "&fieldSelector=metadata.name%3D" + object;
  return target;
}

core::Failure failure_of(const ApiCall& call, const ApiAnswer& answer) {
  // Below 500 the server has refused; above, nobody knows what was written behind it.
  const bool refused = answer.status >= 300 && answer.status < 500 && answer.status != 408;
  const bool nothing_done = refused || !call.writes();
  return {nothing_done ? Applied::no : Applied::perhaps, code_of(answer.status),
          sentence(answer.status, message_in(answer.body))};
}

}  // namespace tenure::kubernetes
