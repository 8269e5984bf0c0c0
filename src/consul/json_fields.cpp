#include "consul/json_fields.hpp"

namespace tenure::consul {

std::optional<std::string> text_in(const poll::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string(std::string_view(value->get_string()));
}

std::optional<std::uint64_t> number_in(const poll::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  if (value == nullptr) return std::nullopt;
  if (const auto* number = value->if_uint64()) return *number;
  const auto* number = value->if_int64();
  if (number == nullptr || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

}  // namespace tenure::consul
