// One HTTP request without a body, as the demonstration's target understands it: not a general reader of HTTP.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenure::http_target {

struct HttpRequest {
  std::string path{};
  // As a poller says them in headers.
  std::string session{};
  std::string instance{};
  std::uint64_t token = 0;

  // Of the request at the start of these bytes, up to its empty line; 0: it is not all there yet.
  static std::size_t length(std::string_view bytes);
  // Nothing: it is no request.
  static std::optional<HttpRequest> read(std::string_view bytes);

  // "/slow/200/x" wishes for slow, 200.
  struct Wish {
    std::string word{};
    std::uint64_t number = 0;
  };
  Wish wish() const;
};

}  // namespace tenure::http_target
