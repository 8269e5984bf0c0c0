#include "words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace tenure::bench {

namespace {

struct Scale {
  double factor = 1;
  const char* name = "";
};

// That of the value, so that a range is written in one.
Scale scale_of(double value, Unit unit) {
  switch (unit) {
    case Unit::seconds:
      if (std::abs(value) < 1e-6) return {1e9, " ns"};
      if (std::abs(value) < 1e-3) return {1e6, " µs"};
      if (std::abs(value) < 1) return {1e3, " ms"};
      return {1, " s"};
    case Unit::percent:
      return {1, " %"};
    case Unit::bytes:
      return {1, " B"};
    case Unit::megabytes:
      return {1, " MB"};
    case Unit::times:
    case Unit::count:
      break;
  }
  return {};
}

// Three digits that matter; of what is counted, all.
std::string number(double value, Unit unit) {
  const double size = std::abs(value);
  const int digits = unit == Unit::count ? 0
                     : size < 0.00995    ? 4
                     : size < 0.0995     ? 3
                     : size < 9.995      ? 2
                     : size < 99.95      ? 1
                                         : 0;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

}  // namespace

std::string to_text(double value, Unit unit) {
  const Scale scale = scale_of(value, unit);
  return number(value * scale.factor, unit) + scale.name;
}

std::string to_text(const Span& span, Unit unit, bool range) {
  if (!range) return to_text(span.middle, unit);
  const Scale scale = scale_of(span.middle, unit);
  return number(span.middle * scale.factor, unit) + scale.name + " (" +
         number(span.low * scale.factor, unit) + "–" + number(span.high * scale.factor, unit) + ")";
}

std::string shown_bound(const Goal& goal) {
  return (goal.side == Goal::Side::at_least ? "≥ " : "≤ ") + to_text(goal.bound, goal.unit);
}

std::string to_text(Cores cores) { return cores == Cores::one ? "one core" : "a core each"; }

std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

std::string padded(std::string text, std::size_t to) {
  if (const std::size_t is = width(text); is < to) text.append(to - is, ' ');
  return text;
}

}  // namespace tenure::bench
