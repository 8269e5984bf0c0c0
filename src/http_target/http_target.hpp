// A small HTTP server on 127.0.0.1 to be polled, for demonstrations and tests: it writes down who came when, by the headers that
// a poller sends, so that it can judge overlaps better than any poller's own log. It behaves badly where the path asks for it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "core/base/time.hpp"

namespace tenure::http_target {

// The first words of the path say what a visitor gets; any other gets 200 and a short body.
//   /hang           no answer, ever             /slow/<ms>      an answer after so long
//   /redirect       here again, for ever        /file           a redirect to a file:// address
//   /status/<code>  that status                 /huge/<bytes>   a body of that length, announced
//   /stream/<bytes> the same, not announced     /trickle        a byte now and then, for ever
class HttpTarget {
 public:
  struct Visit {
    std::string path{};
    std::string session{};
    std::string instance{};
    std::uint64_t token = 0;
    core::Time began{};  // when the request was there
    std::optional<core::Time>
        ended{};  // when the last byte was sent, or the visitor had left; nothing: under way
    bool answered = false;
  };

  // Port 0: a free one. The error is a sentence. The handler is called on the target's own thread, as a visit begins.
  static tl::expected<std::unique_ptr<HttpTarget>, std::string> open(
      std::uint16_t port = 0, std::function<void(const Visit&)> on_visit = {});
  ~HttpTarget();
  HttpTarget(const HttpTarget&) = delete;
  HttpTarget& operator=(const HttpTarget&) = delete;

  std::uint16_t port() const;
  std::string url(const std::string& path) const;
  // In the order in which they began.
  std::vector<Visit> visits() const;

 private:
  struct State;
  explicit HttpTarget(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// How many visits to a session began before one of another token to the same session had ended, or came with a smaller
// token than an earlier one.
std::size_t overlaps(const std::vector<HttpTarget::Visit>& visits);

}  // namespace tenure::http_target
