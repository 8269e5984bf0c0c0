#include "postgres/url.hpp"

#include <algorithm>

namespace tenure::postgres {

bool is_url(std::string_view text) {
  return text.starts_with("postgresql://") || text.starts_with("postgres://");
}

std::string without_passwords(std::string_view url) {
  std::string text(url);
  const auto slashes = text.find("://");
  const auto begin = slashes == std::string::npos ? 0 : slashes + 3;
  const auto end_of_user = text.find_first_of("@/", begin);
  if (end_of_user != std::string::npos && text[end_of_user] == '@') {
    const auto colon = text.find(':', begin);
    if (colon < end_of_user) text.erase(colon, end_of_user - colon);
  }
  for (const std::string_view parameter : {"password=", "sslpassword="}) {
    for (auto from = text.find('?'); from != std::string::npos;) {
      const auto end = std::min(text.find('&', from + 1), text.size());
      if (std::string_view(text).substr(from + 1).starts_with(parameter)) {
        // What follows the first one follows the question mark then.
        text.erase(from + 1, end == text.size() ? end - from - 1 : end - from);
        if (end == text.size() || from + 1 >= text.size()) text.pop_back();
        from = text.find('?');
      } else {
        from = text.find('&', from + 1);
      }
    }
  }
  return text;
}

}  // namespace tenure::postgres
