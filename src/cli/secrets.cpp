#include "cli/secrets.hpp"

#include <algorithm>
#include <cstring>
#include <span>

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

}  // namespace

void hide_secrets(int argc, char** argv) {
  bool is_url = false;
  for (char* argument : std::span(argv, static_cast<std::size_t>(argc))) {
    const std::string_view view(argument);
    if (view == "--") return;
    if (is_url || view.find("://") != std::string_view::npos || view.starts_with("--redis=")) {
      std::ranges::fill(user_info({argument, std::strlen(argument)}), '*');
    }
    is_url = view == "--redis";
  }
}

std::string without_secrets(std::string_view text) {
  std::string safe(text);
  const auto slashes = safe.find("://");
  if (slashes == std::string::npos) return safe;
  const auto at = safe.rfind('@');
  if (at == std::string::npos || at < slashes) return safe;
  return safe.replace(slashes + 3, at - slashes - 3, "***");
}

}  // namespace tenure::cli
