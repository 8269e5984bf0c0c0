#include "cli/endpoint/page_of.hpp"

#include "core/base/number.hpp"

namespace tenure::cli {

tl::expected<Page, http::Response> page_of(const http::Request& request) {
  Page page;
  if (const auto limit = request.parameter("limit")) {
    const auto number = core::read_number<std::size_t>(*limit);
    if (!number || *number < 1 || *number > page_max) {
      return tl::unexpected(error_json(400, "limit must be a number from 1 to " + std::to_string(page_max)));
    }
    page.limit = *number;
  }
  if (const auto offset = request.parameter("offset")) {
    const auto number = core::read_number<std::size_t>(*offset);
    if (!number) return tl::unexpected(error_json(400, "offset must be a number"));
    page.offset = *number;
  }
  return page;
}

http::Response error_json(unsigned status, const std::string& sentence) {
  Json json;
  json.open_object().key("error").text(sentence).close_object();
  return http::Response::json(json.written() + "\n", status);
}

}  // namespace tenure::cli
