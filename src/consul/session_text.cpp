#include "consul/session_text.hpp"

#include <algorithm>

#include "consul/duration_text.hpp"
#include "consul/json_fields.hpp"
#include "poll/json.hpp"

namespace tenure::consul {

namespace {

const core::Failure strange{core::Applied::perhaps, core::FailureCode::protocol,
                            "the server said something of a session that Consul does not say"};

}  // namespace

std::string lock_delay_for(core::Ttl ttl) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(std::min(ttl, lock_delay_max));
  return std::to_string(seconds.count()) + "s";
}

std::string session_text(const SessionWish& wish) {
  poll::Json text;
  text.open_object().key("Name").text(wish.name);
  text.key("TTL").text(std::to_string(wish.ttl.count()) + "ms");
  text.key("Behavior").text("release").key("LockDelay").text(wish.lock_delay);
  // Versions before 1.7 know one list, of which later ones take what stands in the others.
  text.key("Checks").open_array().close_array();
  text.key("NodeChecks").open_array().close_array();
  text.key("ServiceChecks").open_array().close_array();
  return text.close_object().written();
}

tl::expected<std::string, core::Failure> read_session_id(std::string_view body) {
  const auto value = poll::read_json(body);
  const auto* object = value ? value->if_object() : nullptr;
  auto id = object != nullptr ? text_in(*object, "ID") : std::nullopt;
  // It becomes a part of addresses.
  if (!id || id->empty() || id->find_first_not_of("0123456789abcdefABCDEF-") != std::string::npos) {
    return tl::unexpected(strange);
  }
  return std::move(*id);
}

tl::expected<std::optional<OtherHolder>, core::Failure> read_session(std::string_view body) {
  const auto value = poll::read_json(body);
  if (value && value->is_null()) return std::nullopt;
  const auto* all = value ? value->if_array() : nullptr;
  if (all == nullptr || all->size() > 1) return tl::unexpected(strange);
  if (all->empty()) return std::nullopt;
  const auto* object = all->front().if_object();
  if (object == nullptr) return tl::unexpected(strange);
  return OtherHolder{text_in(*object, "Name").value_or(""), text_in(*object, "Node").value_or(""),
                     read_duration(text_in(*object, "TTL").value_or(""))};
}

}  // namespace tenure::consul
