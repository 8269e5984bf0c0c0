#include "poll/fleet_json.hpp"

#include "poll/json_text.hpp"

namespace tenure::poll {

namespace {

template <class Number>
std::optional<Number> number_in(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  if (value == nullptr) return std::nullopt;
  json::error_code error;
  const auto number = value->to_number<Number>(error);
  if (error) return std::nullopt;
  return number;
}

std::optional<std::string> text_in(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string(value->get_string());
}

// Inside of a string its quotes would be escaped: this is the field.
std::string without_body(std::string_view text) {
  const auto body = text.find("\"body\":");
  if (body == std::string_view::npos) return std::string(text);
  return std::string(text.substr(0, text.rfind(',', body))) + "}";
}

}  // namespace

std::optional<InstanceText> read_instance(std::string_view text) {
  const auto value = read_json(text);
  if (!value || !value->is_object()) return std::nullopt;
  const auto& object = value->get_object();
  const auto status = text_in(object, "status");
  const auto started = number_in<std::int64_t>(object, "started");
  const auto weight = number_in<std::uint32_t>(object, "weight");
  const auto owned = number_in<std::uint64_t>(object, "owned");
  const auto version = number_in<std::uint64_t>(object, "version");
  if (!status || !started || !weight || *weight == 0 || !owned || !version) return std::nullopt;
  return InstanceText{*status, *started, *weight, *owned, *version};
}

std::optional<ResultText> read_result(std::string_view text) {
  auto value = read_json(text);
  if (!value) value = read_json(without_body(text));
  if (!value || !value->is_object()) return std::nullopt;
  const auto& object = value->get_object();
  const auto* ok = object.if_contains("ok");
  if (ok == nullptr || !ok->is_bool()) return std::nullopt;
  return ResultText{ok->get_bool(), text_in(object, "error").value_or(""),
                    number_in<std::int64_t>(object, "at"), number_in<std::int64_t>(object, "took_ms")};
}

}  // namespace tenure::poll
