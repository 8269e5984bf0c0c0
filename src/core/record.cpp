#include "core/record.hpp"

#include <charconv>

namespace tenure::core {

std::optional<Record> read_record(std::string_view text) {
  const auto first = text.find(' ');
  if (first == std::string_view::npos) return std::nullopt;
  const auto second = text.find(' ', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  Ttl::rep cap = 0;
  const auto digits = text.substr(first + 1, second - first - 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), cap);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return Record{std::string(text.substr(0, first)), Ttl(cap)};
}

std::string admission(Ttl cap) { return "open " + std::to_string(cap.count()) + " "; }

}  // namespace tenure::core
