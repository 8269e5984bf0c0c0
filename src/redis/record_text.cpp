#include "redis/record_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/number.hpp"
#include "core/lease/timing.hpp"

namespace tenure::redis {

using core::Ttl;

std::optional<core::Record> read_record(std::string_view text) {
  std::array<std::string_view, 9> fields;
  for (auto& field : fields) {
    const auto end = text.find(' ');
    if (end == std::string_view::npos && &field != &fields.back()) return std::nullopt;
    field = text.substr(0, end);
    if (field.empty()) return std::nullopt;
    text.remove_prefix(std::min(text.size(), field.size() + 1));
  }
  const auto cap = core::read_number<std::int64_t>(fields[0]);
  const auto made = core::read_number<std::int64_t>(fields[5]);
  const auto wall = core::read_number<std::int64_t>(fields[6]);
  const auto longest = core::read_number<std::int64_t>(fields[7]);
  const bool open = fields[3] == "open";
  if (!cap || !made || !wall || !longest || (!open && fields[3] != "quarantined")) return std::nullopt;
  // Longer than any that is allowed, it could not be counted in nanoseconds either.
  constexpr auto most = std::chrono::duration_cast<Ttl>(core::ttl_cap_max).count();
  if (*cap < 1 || *cap > most || *longest < *cap || *longest > most) return std::nullopt;
  return core::Record{{Ttl(*cap), std::string(fields[1])},
                      std::string(fields[2]),
                      open,
                      *made,
                      *wall,
                      Ttl(*longest),
                      std::string(fields[8])};
}

core::FoundRecord found_record(std::string text) {
  auto record = read_record(text);
  return {std::move(record), std::move(text)};
}

std::string opening(const core::Terms& terms) {
  std::string text;
  text.reserve(terms.set.size() + 96);  // epoch and state may follow, with every acquire
  text.append(std::to_string(terms.cap.count())).append(" ").append(terms.set).append(" ");
  return text;
}

std::string admission(const core::Terms& terms, std::string_view epoch) {
  std::string text = opening(terms);
  text.append(epoch).append(" ");
  return text;
}

std::string admission_to_open(const core::Terms& terms, std::string_view epoch) {
  std::string text = admission(terms, epoch);
  text.append("open ");
  return text;
}

}  // namespace tenure::redis
