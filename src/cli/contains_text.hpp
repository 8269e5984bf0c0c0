// Does a text contain what somebody looks for, whatever the case of its ASCII letters?
#pragma once

#include <algorithm>
#include <string_view>

namespace tenure::cli {

inline bool contains_text(std::string_view text, std::string_view wanted) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return !std::ranges::search(text, wanted, {}, lower, lower).empty() || wanted.empty();
}

}  // namespace tenure::cli
