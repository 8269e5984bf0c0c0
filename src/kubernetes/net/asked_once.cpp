#include "kubernetes/net/asked_once.hpp"

#include <vector>

#include "kubernetes/net/shared.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/net/wait_for.hpp"

namespace tenure::kubernetes {

tl::expected<ApiAnswer, core::Failure> ask_once(const Place& place, const ApiCall& call,
                                                core::Duration timeout) {
  const core::Time deadline = runtime::boot_now() + timeout;
  Credentials credentials(place.token, place.token_file);
  auto request = request_of(call, credentials);
  if (!request) return tl::unexpected(std::move(request.error()));
  request->timeout = timeout;
  http_client::HttpCalls calls(place.server);
  calls.start(http_client::HttpCallId{1}, std::move(*request));
  std::vector<http_client::HttpNews> news;
  while (news.empty()) {
    const runtime::Awaited awaited = calls.awaited();
    if (awaited.fd >= 0 && !runtime::wait_for(awaited.fd, awaited.events, deadline))
      return tl::unexpected(core::silence);
    calls.on_ready(news);
  }
  auto& answer = news.front().answer;
  if (!answer) return tl::unexpected(std::move(answer.error()));
  ApiAnswer told = answer_of(std::move(*answer));
  if (!told.fine() && told.status != 404) return tl::unexpected(failure_of(call, told));
  return told;
}

}  // namespace tenure::kubernetes
