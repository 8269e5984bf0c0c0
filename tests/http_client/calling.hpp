// A client's calls, waited for.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http_client/http_calls.hpp"
#include "runtime/boot_clock.hpp"

namespace tenure::test {

using http_client::HttpAnswer;
using http_client::HttpCallId;
using http_client::HttpNews;
using http_client::HttpRequest;

using Outcome = tl::expected<HttpAnswer, core::Failure>;

class Calling {
 public:
  explicit Calling(http_client::HttpServer server) : server_(std::move(server)) {}

  http_client::HttpCalls& calls() { return calls_; }

  HttpCallId begin(HttpRequest request) {
    const HttpCallId id{++last_};
    calls_.start(id, std::move(request));
    return id;
  }
  // The next one of anybody's; nothing, if there is none in that time.
  std::optional<HttpNews> next(std::chrono::milliseconds within = std::chrono::seconds(10)) {
    const core::Time until = runtime::boot_now() + within;
    while (news_.empty()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - runtime::boot_now());
      pollfd ready{calls_.awaited().fd, calls_.awaited().events, 0};
      if (left.count() <= 0 || poll(&ready, 1, static_cast<int>(left.count())) == 0) return std::nullopt;
      calls_.on_ready(news_);
    }
    HttpNews first = std::move(news_.front());
    news_.erase(news_.begin());
    return first;
  }
  // What came of that one, and nothing of another meanwhile.
  Outcome end(HttpCallId id) {
    auto news = next();
    const core::Failure none{core::Applied::perhaps, core::FailureCode::server, "the test heard nothing"};
    if (!news) return tl::unexpected(none);
    EXPECT_EQ(news->id, id);
    EXPECT_FALSE(news->piece);
    return std::move(news->answer);
  }
  Outcome call(HttpRequest request) { return end(begin(std::move(request))); }
  Outcome get(std::string target, core::Duration timeout = std::chrono::seconds(10)) {
    return call({.method = "GET", .target = std::move(target), .timeout = timeout});
  }

 private:
  http_client::HttpServer server_;
  http_client::HttpCalls calls_{server_};
  std::uint64_t last_ = 0;
  std::vector<HttpNews> news_{};
};

}  // namespace tenure::test
