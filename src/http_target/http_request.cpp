#include "http_target/http_request.hpp"

#include <algorithm>

#include "core/base/number.hpp"

namespace tenure::http_target {

namespace {

constexpr std::string_view line_end = "\r\n";

// What stands before the separator; the rest stays.
std::string_view take(std::string_view& rest, std::string_view separator) {
  const auto at = std::min(rest.find(separator), rest.size());
  const auto taken = rest.substr(0, at);
  rest.remove_prefix(std::min(at + separator.size(), rest.size()));
  return taken;
}

bool same_name(std::string_view one, std::string_view other) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
  return std::ranges::equal(one, other, {}, lower, lower);
}

}  // namespace

std::size_t HttpRequest::length(std::string_view bytes) {
  const auto end = bytes.find("\r\n\r\n");
  return end == std::string_view::npos ? 0 : end + 4;
}

std::optional<HttpRequest> HttpRequest::read(std::string_view bytes) {
  auto first = take(bytes, line_end);
  const auto method = take(first, " ");
  HttpRequest request;
  request.path = take(first, " ");
  if ((method != "GET" && method != "HEAD") || !request.path.starts_with('/') ||
      !first.starts_with("HTTP/1."))
    return std::nullopt;
  while (!bytes.empty()) {
    auto value = take(bytes, line_end);
    const auto name = take(value, ":");
    while (value.starts_with(' ')) value.remove_prefix(1);
    if (same_name(name, "X-Tenure-Session")) request.session = value;
    if (same_name(name, "X-Tenure-Instance")) request.instance = value;
    if (same_name(name, "X-Tenure-Token"))
      request.token = core::read_number<std::uint64_t>(value).value_or(0);
  }
  return request;
}

HttpRequest::Wish HttpRequest::wish() const {
  std::string_view rest = std::string_view(path).substr(1);
  Wish wish{std::string(take(rest, "/"))};
  wish.number = core::read_number<std::uint64_t>(take(rest, "/")).value_or(0);
  return wish;
}

}  // namespace tenure::http_target
