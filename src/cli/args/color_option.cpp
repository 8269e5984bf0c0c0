#include "cli/args/color_option.hpp"

#include <optional>
#include <string_view>

#include "cli/secrets.hpp"
#include "core/base/text.hpp"

namespace tenure::cli {

tl::expected<ColorChoice, std::string> take_color_option(std::vector<std::string>& words) {
  static constexpr std::string_view option = "--color";
  ColorChoice choice = ColorChoice::automatic;
  for (auto word = words.begin(); word != words.end() && *word != "--";) {
    const bool with_value = word->starts_with(std::string(option) + "=");
    if (!with_value && *word != option) {
      ++word;
      continue;
    }
    std::optional<std::string> value;
    if (with_value) {
      value = word->substr(option.size() + 1);
    } else if (word + 1 != words.end() && *(word + 1) != "--") {
      value = *(word + 1);
    }
    const auto read = value ? read_color_choice(*value) : std::nullopt;
    if (!read && !value) return tl::unexpected(std::string("--color: say auto, always or never"));
    if (!read) {
      return tl::unexpected("--color: \"" + core::printable(without_secrets(*value), 60) +
                            "\" is not auto, always or never");
    }
    choice = *read;
    word = words.erase(word, word + (with_value ? 1 : 2));
  }
  return choice;
}

}  // namespace tenure::cli
