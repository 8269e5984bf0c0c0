#include "consul/lease_text.hpp"

#include <charconv>
#include <system_error>

#include "consul/json_fields.hpp"
#include "core/base/text.hpp"
#include "core/lease/timing.hpp"
#include "poll/json.hpp"

namespace tenure::consul {

namespace {

// As hex16 writes it, and in no other way: two texts are never the same grant.
std::optional<std::uint64_t> read_nonce(std::string_view digits) {
  std::uint64_t nonce = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), nonce, 16);
  if (error != std::errc{} || core::hex16(nonce) != digits) return std::nullopt;
  return nonce;
}

}  // namespace

std::string lease_text(const Lease& lease) {
  poll::Json text;
  text.open_object().key("owner").text(lease.grant.owner());
  text.key("nonce").text(core::hex16(lease.grant.nonce()));
  text.key("ttl_ms").number(lease.ttl.count());
  if (lease.token) {
    text.key("token").number(*lease.token);
  } else {
    text.key("base").number(lease.base);
  }
  return text.close_object().written();
}

std::optional<Lease> read_lease(std::string_view text) {
  const auto value = poll::read_json(text);
  const auto* object = value ? value->if_object() : nullptr;
  if (object == nullptr) return std::nullopt;
  const auto owner = text_in(*object, "owner");
  const auto nonce = text_in(*object, "nonce");
  if (!owner || owner->empty() || !nonce) return std::nullopt;
  const auto read = read_nonce(*nonce);
  const auto ttl = number_in(*object, "ttl_ms");
  const auto base = number_in(*object, "base");
  const auto token = number_in(*object, "token");
  if (!read || !ttl || (!base && !token) || base.value_or(0) > core::token_max ||
      token.value_or(1) > core::token_max || token.value_or(1) == 0) {
    return std::nullopt;
  }
  const auto most = std::chrono::duration_cast<core::Ttl>(core::ttl_cap_max);
  if (*ttl > static_cast<std::uint64_t>(most.count())) return std::nullopt;
  return Lease{core::Grant(*owner, *read), core::Ttl(static_cast<core::Ttl::rep>(*ttl)), base.value_or(0),
               token};
}

std::optional<Lease> lease_in(const Entry& entry) {
  if (entry.session.empty()) return std::nullopt;
  return read_lease(entry.value);
}

core::KeyState key_state(const Entry& entry) {
  core::KeyState state{};
  if (entry.session.empty()) return state;
  if (const auto lease = lease_in(entry)) {
    state.holder = core::Holder{std::string(lease->grant.owner()), lease->token_at(entry.modified)};
    state.grant = lease->grant;
    state.left = lease->ttl;
  } else {
    state.holder = core::Holder{"session " + entry.session, 0};
  }
  return state;
}

core::Held held_by(const Entry& entry, const OtherHolder& other) {
  if (const auto lease = lease_in(entry)) {
    return {{std::string(lease->grant.owner()), lease->token_at(entry.modified)}, lease->ttl};
  }
  if (entry.session.empty()) return {{"a key of " + core::printable(entry.key) + " that is no lock", 0}};
  std::string owner = other.name.empty() ? "session " + entry.session : core::printable(other.name);
  if (!other.node.empty()) owner += " on " + core::printable(other.node);
  return {{std::move(owner), 0}, other.ttl};
}

}  // namespace tenure::consul
