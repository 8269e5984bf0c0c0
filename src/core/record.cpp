#include "core/record.hpp"

#include <algorithm>
#include <array>

#include "core/number.hpp"
#include "core/timing.hpp"

namespace tenure::core {

std::optional<Record> read_record(std::string_view text) {
  std::array<std::string_view, 7> fields;
  for (auto& field : fields) {
    const auto end = text.find(' ');
    if ((end == std::string_view::npos) != (&field == &fields.back())) return std::nullopt;
    field = text.substr(0, end);
    if (field.empty()) return std::nullopt;
    text.remove_prefix(std::min(text.size(), field.size() + 1));
  }
  const auto cap = read_number<std::int64_t>(fields[0]);
  const auto made = read_number<std::int64_t>(fields[4]);
  const auto wall = read_number<std::int64_t>(fields[5]);
  const bool open = fields[2] == "open";
  if (!cap || !made || !wall || (!open && fields[2] != "quarantined")) return std::nullopt;
  // Longer than any that is allowed, it could not be counted in nanoseconds either.
  if (*cap < 1 || Ttl(*cap) > std::chrono::duration_cast<Ttl>(ttl_cap_max)) return std::nullopt;
  return Record{Ttl(*cap), std::string(fields[1]), open, *made, *wall, fields[6] == "unknown"};
}

std::string admission(Ttl cap, std::string_view epoch) {
  return std::to_string(cap.count()).append(" ").append(epoch).append(" ");
}

std::string admission_to_open(Ttl cap, std::string_view epoch) { return admission(cap, epoch) + "open "; }

}  // namespace tenure::core
