#include "consul/http_date.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "core/base/number.hpp"

namespace tenure::consul {

std::optional<std::int64_t> read_http_date(std::string_view text) {
  constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  if (text.size() != 29 || !text.ends_with(" GMT") || text[19] != ':' || text[22] != ':') return std::nullopt;
  const auto number = [&](std::size_t from, std::size_t length) {
    return core::read_number<unsigned>(text.substr(from, length));
  };
  const auto day = number(5, 2);
  const auto month = std::ranges::find(months, text.substr(8, 3));
  const auto year = number(12, 4);
  const auto hour = number(17, 2);
  const auto minute = number(20, 2);
  const auto second = number(23, 2);
  if (!day || month == months.end() || !year || !hour || !minute || !second) return std::nullopt;
  using namespace std::chrono;
  const year_month_day date{std::chrono::year(static_cast<int>(*year)),
                            std::chrono::month(static_cast<unsigned>(month - months.begin()) + 1),
                            std::chrono::day(*day)};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  const auto days = sys_days(date).time_since_epoch();
  return duration_cast<milliseconds>(days + hours(*hour) + minutes(*minute) + seconds(*second)).count();
}

}  // namespace tenure::consul
