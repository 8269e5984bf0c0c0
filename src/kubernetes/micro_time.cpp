#include "kubernetes/micro_time.hpp"

#include <array>
#include <cstdio>

#include "core/base/number.hpp"

namespace tenure::kubernetes {

using namespace std::chrono;

namespace {

// Reads from the front of a text, and remembers whether all of it fitted.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  int digits(std::size_t count) {
    const auto value = core::read_number<unsigned>(rest_.substr(0, count));
    const bool fits = value && rest_.size() >= count;
    sound_ = sound_ && fits;
    rest_.remove_prefix(fits ? count : rest_.size());
    return fits ? static_cast<int>(*value) : 0;
  }
  void expect(std::string_view text) {
    if (!skip(text)) sound_ = false;
  }
  bool skip(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  // One of these words of three letters, counted from 1; 0: none.
  unsigned word(std::string_view words) {
    const auto at = rest_.size() < 3 ? std::string_view::npos : words.find(rest_.substr(0, 3));
    if (at == std::string_view::npos || at % 3 != 0) {
      sound_ = false;
      return 0;
    }
    rest_.remove_prefix(3);
    return static_cast<unsigned>(at / 3) + 1;
  }
  bool at_end() const { return sound_ && rest_.empty(); }
  bool next_is_digit() const { return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; }

 private:
  std::string_view rest_;
  bool sound_ = true;
};

std::optional<seconds> day(int of_year, int of_month, int of_day) {
  const year_month_day date{year(of_year), month(static_cast<unsigned>(of_month)),
                            std::chrono::day(static_cast<unsigned>(of_day))};
  if (!date.ok()) return std::nullopt;
  return sys_days(date).time_since_epoch();
}

// Those beyond six digits are dropped.
Micros fraction(Reader& reader) {
  int value = 0;
  int places = 0;
  for (; reader.next_is_digit(); ++places) {
    const int digit = reader.digits(1);
    if (places < 6) value = value * 10 + digit;
  }
  for (; places < 6; ++places) value *= 10;
  return Micros(value);
}

}  // namespace

std::string micro_time(Micros moment) {
  const auto date = floor<days>(moment);
  const year_month_day calendar{sys_days(date)};
  const hh_mm_ss clock{moment - date};
  std::array<char, 48> text{};
  const int length = std::snprintf(
      text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ", static_cast<int>(calendar.year()),
      static_cast<unsigned>(calendar.month()), static_cast<unsigned>(calendar.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  return {text.data(), static_cast<std::size_t>(length)};
}

std::optional<Micros> read_micro_time(std::string_view text) {
  Reader reader(text);
  const int of_year = reader.digits(4);
  reader.expect("-");
  const int of_month = reader.digits(2);
  reader.expect("-");
  const int of_day = reader.digits(2);
  reader.expect("T");
  const int hour = reader.digits(2);
  reader.expect(":");
  const int minute = reader.digits(2);
  reader.expect(":");
  const int second = reader.digits(2);
  const Micros rest = reader.skip(".") ? fraction(reader) : Micros(0);
  minutes zone{};
  if (!reader.skip("Z")) {
    const bool east = reader.skip("+");
    if (!east) reader.expect("-");
    zone = hours(reader.digits(2));
    reader.expect(":");
    zone += minutes(reader.digits(2));
    if (!east) zone = -zone;
  }
  const auto date = day(of_year, of_month, of_day);
  if (!reader.at_end() || !date) return std::nullopt;
  return *date + hours(hour) + minutes(minute) + seconds(second) + rest - zone;
}

std::optional<seconds> read_http_date(std::string_view text) {
  Reader reader(text);
  reader.word("MonTueWedThuFriSatSun");
  reader.expect(", ");
  const int of_day = reader.digits(2);
  reader.expect(" ");
  const unsigned of_month = reader.word("JanFebMarAprMayJunJulAugSepOctNovDec");
  reader.expect(" ");
  const int of_year = reader.digits(4);
  reader.expect(" ");
  const int hour = reader.digits(2);
  reader.expect(":");
  const int minute = reader.digits(2);
  reader.expect(":");
  const int second = reader.digits(2);
  reader.expect(" GMT");
  const auto date = day(of_year, static_cast<int>(of_month), of_day);
  if (!reader.at_end() || !date) return std::nullopt;
  return *date + hours(hour) + minutes(minute) + seconds(second);
}

}  // namespace tenure::kubernetes
