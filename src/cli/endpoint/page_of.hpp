// One page of a long list, as a request asks for it: ?limit=100&offset=200.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "cli/json.hpp"
#include "http/routes.hpp"

namespace tenure::cli {

struct Page {
  std::size_t limit = 100;
  std::size_t offset = 0;  // of the first one
};

inline constexpr std::size_t page_max = 1'000;

// The error is an answer for whoever asked.
tl::expected<Page, http::Response> page_of(const http::Request& request);

// "total": how many there are, the array of those on the page, each written by the function, and "next": the offset of the page
// behind it, or null.
template <class AddOne>
void add_page(Json& json, std::string_view key, const Page& page, std::size_t total, const AddOne& add_one) {
  const std::size_t from = std::min(page.offset, total);
  const std::size_t end = from + std::min(page.limit, total - from);
  json.key("total").number(total);
  json.key(key).open_array();
  for (std::size_t i = from; i < end; ++i) add_one(i);
  json.close_array().key("next").number_or_null(end < total ? std::optional(end) : std::nullopt);
}

// {"error": "…"}
http::Response error_json(unsigned status, const std::string& sentence);

}  // namespace tenure::cli
