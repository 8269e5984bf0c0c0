#include "http/routes.hpp"

#include <algorithm>

namespace tenure::http {

namespace {

int hex_digit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return -1;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    result += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return result;
}

}  // namespace

bool Request::can_be_decoded() const { return decoded(query).has_value(); }

std::optional<std::string> Request::parameter(std::string_view name) const {
  std::string_view rest = query;
  while (!rest.empty()) {
    const auto pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const auto equals = pair.find('=');
    if (equals != std::string_view::npos && pair.substr(0, equals) == name)
      return decoded(pair.substr(equals + 1));
  }
  return std::nullopt;
}

const Routes::Route* Routes::find(std::string_view path) const {
  const auto found = std::ranges::find(routes_, path, &Route::path);
  return found == routes_.end() ? nullptr : &*found;
}

}  // namespace tenure::http
