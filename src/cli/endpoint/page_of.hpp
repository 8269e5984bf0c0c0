// One page of a long list, as a request asks for it: ?limit=100&after=ID.
#pragma once

#include <cstddef>
#include <string>
#include <tl/expected.hpp>

#include "http/routes.hpp"

namespace tenure::cli {

struct Page {
  std::size_t limit = 100;
  std::string after{};  // the last of the page before; empty: from the beginning
};

inline constexpr std::size_t page_max = 1'000;

// The error is an answer for whoever asked.
tl::expected<Page, http::Response> page_of(const http::Request& request);

// {"error": "…"}
http::Response error_json(unsigned status, const std::string& sentence);

}  // namespace tenure::cli
