#include "cli/secrets.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include "redis/url.hpp"

namespace tenure::cli {

namespace {

// From the first "://" to the last "@": more than needed when there are several, never less.
// A URL without its slashes is wrong, but its password is one all the same.
std::span<char> user_info(std::span<char> text) {
  const std::string_view view(text.data(), text.size());
  const auto at = view.rfind('@');
  if (at == std::string_view::npos) return {};
  const auto slashes = view.find("://");
  const auto equals = view.starts_with("--") ? view.find('=') : std::string_view::npos;
  std::size_t from = equals == std::string_view::npos ? 0 : equals + 1;
  if (slashes != std::string_view::npos) from = slashes + 3;
  return from < at ? text.subspan(from, at - from) : std::span<char>{};
}

// The passwords in the query of a URL: of a PostgreSQL "password=" and "sslpassword=", of Sentinels "sentinel_password=".
template <class Hide>
void for_each_password(std::string_view url, const Hide& hide) {
  constexpr std::string_view keyword = "password=";
  if (url.find("://") == std::string_view::npos) return;
  for (auto at = url.find(keyword); at != std::string_view::npos; at = url.find(keyword, at + 1)) {
    const auto from = at + keyword.size();
    hide(from, std::min(url.find('&', from), url.size()) - from);
  }
}

// Is a URL expected behind it, even if what stands there does not look like one?
bool names_node(std::string_view option) { return option == "--redis" || option == "--store"; }

}  // namespace

void hide_secrets(int argc, char** argv) {
  bool is_url = false;
  for (char* argument : std::span(argv, static_cast<std::size_t>(argc))) {
    const std::string_view view(argument);
    if (view == "--") return;
    const auto equals = view.find('=');
    const bool has_url = equals != std::string_view::npos && names_node(view.substr(0, equals));
    if (is_url || has_url || view.find("://") != std::string_view::npos) {
      const std::span<char> text(argument, std::strlen(argument));
      // These first: an @ in one of them would be taken for the end of the user info.
      for_each_password(view, [&](std::size_t from, std::size_t length) {
        std::ranges::fill(text.subspan(from, length), '*');
      });
      std::ranges::fill(user_info(text), '*');
    }
    is_url = names_node(view);
  }
}

std::string without_secrets(std::string_view text) {
  std::string safe = redis::without_secrets(text);
  for_each_password(std::string(safe),
                    [&](std::size_t from, std::size_t length) { safe.replace(from, length, length, '*'); });
  return safe;
}

}  // namespace tenure::cli
