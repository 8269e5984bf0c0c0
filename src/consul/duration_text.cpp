#include "consul/duration_text.hpp"

#include <array>
#include <cstdint>
#include <utility>

#include "core/base/number.hpp"

namespace tenure::consul {

std::optional<core::Ttl> read_duration(std::string_view text) {
  using Unit = std::pair<std::string_view, std::int64_t>;
  constexpr std::array units{Unit{"ms", 1}, Unit{"h", 3'600'000}, Unit{"m", 60'000}, Unit{"s", 1'000}};
  constexpr std::int64_t most = 24LL * 3'600'000;
  if (text.empty()) return std::nullopt;
  std::int64_t sum = 0;
  while (!text.empty()) {
    const auto digits = text.find_first_not_of("0123456789");
    if (digits == std::string_view::npos || digits == 0) return std::nullopt;
    const auto count = core::read_number<std::int64_t>(text.substr(0, digits));
    text.remove_prefix(digits);
    std::int64_t unit = 0;
    for (const auto& [name, length] : units) {
      if (!text.starts_with(name)) continue;
      unit = length;
      text.remove_prefix(name.size());
      break;
    }
    if (!count || unit == 0 || *count > most / unit) return std::nullopt;
    sum += *count * unit;
  }
  if (sum > most) return std::nullopt;
  return core::Ttl(sum);
}

}  // namespace tenure::consul
