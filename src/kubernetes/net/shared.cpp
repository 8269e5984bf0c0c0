#include "kubernetes/net/shared.hpp"

#include <algorithm>

#include "core/base/number.hpp"

namespace tenure::kubernetes {

void Waiters::add(const std::string& object, const core::Grant& ticket, const std::string& version) {
  Waiting& waiting = all_[object];
  if (std::ranges::find(waiting.tickets, ticket) == waiting.tickets.end()) waiting.tickets.push_back(ticket);
  waiting.version = version;
  if (tell_) tell_();
}

void Waiters::remove(const std::string& object, const core::Grant& ticket) {
  const auto found = all_.find(object);
  if (found == all_.end()) return;
  std::erase(found->second.tickets, ticket);
  if (!found->second.tickets.empty()) return;
  all_.erase(found);
  watched_.erase(object);
  if (tell_) tell_();
}

Waiters::Waiting* Waiters::find(const std::string& object) {
  const auto found = all_.find(object);
  return found != all_.end() ? &found->second : nullptr;
}

void Waiters::set_watched(const std::string& object, bool watched) {
  if (watched) {
    watched_.insert(object);
  } else {
    watched_.erase(object);
  }
}

tl::expected<http_client::HttpRequest, core::Failure> request_of(const ApiCall& call,
                                                                 Credentials& credentials) {
  auto authorization = credentials.header();
  if (!authorization) return tl::unexpected(std::move(authorization.error()));
  http_client::HttpRequest request{
      call.method, call.target, {"Accept: application/json", "User-Agent: tenure"}, call.body};
  if (*authorization) request.headers.push_back(std::move(**authorization));
  if (!call.body.empty()) request.headers.emplace_back("Content-Type: application/json");
  return request;
}

ApiAnswer answer_of(http_client::HttpAnswer answer) {
  const auto date = answer.headers.find("date");
  return {answer.status, std::move(answer.body),
          date != answer.headers.end() ? read_http_date(date->second) : std::nullopt};
}

core::Duration retry_after(const http_client::HttpAnswer& answer) {
  const auto found = answer.headers.find("retry-after");
  if (found == answer.headers.end()) return {};
  // A date is possible too, and no API server writes one.
  const auto seconds = core::read_number<std::uint32_t>(found->second);
  return std::chrono::seconds(std::min(seconds.value_or(1), 60U));
}

}  // namespace tenure::kubernetes
