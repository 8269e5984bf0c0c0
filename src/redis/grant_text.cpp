#include "redis/grant_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "core/base/number.hpp"
#include "core/base/text.hpp"

namespace tenure::redis {

namespace {

constexpr std::size_t nonce_digits = 16;
constexpr std::size_t token_digits = 20;
// PTTL of a key that does not exist.
constexpr std::int64_t no_such_key = -2;

void append_stamp(std::string& text, const core::Grant& grant) {
  text.append(grant.owner()).append("#");
  core::append_hex16(text, grant.nonce());
  text += '#';
}

// As hex16 writes it, and in no other way: two texts are never the same grant.
std::optional<std::uint64_t> read_nonce(std::string_view digits) {
  std::uint64_t nonce = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), nonce, 16);
  if (error != std::errc{} || core::hex16(nonce) != digits) return std::nullopt;
  return nonce;
}

}  // namespace

std::string stamp(const core::Grant& grant) {
  std::string text;
  text.reserve(grant.owner().size() + nonce_digits + 2);
  append_stamp(text, grant);
  return text;
}

std::string value(const core::Grant& grant, core::Token token) {
  std::string text;
  text.reserve(grant.owner().size() + nonce_digits + 2 + token_digits);
  append_stamp(text, grant);
  std::array<char, token_digits> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), token).ptr;
  text.append(digits.data(), end);
  return text;
}

std::string_view stamp_in(std::string_view value) { return value.substr(0, value.rfind('#') + 1); }

std::optional<core::Grant> read_stamp(std::string_view text) {
  // From the right: an owner may contain '#', a nonce cannot.
  if (!text.ends_with('#')) return std::nullopt;
  text.remove_suffix(1);
  const auto middle = text.rfind('#');
  if (middle == std::string_view::npos || middle == 0) return std::nullopt;
  const auto nonce = read_nonce(text.substr(middle + 1));
  if (!nonce) return std::nullopt;
  return core::Grant(text.substr(0, middle), *nonce);
}

core::Holder read_holder(std::string_view value) {
  // From the right: an owner may contain '#', a nonce and a token cannot.
  const auto last = value.rfind('#');
  if (last == std::string_view::npos || last == 0) return {std::string(value), 0};
  const auto middle = value.rfind('#', last - 1);
  if (middle == std::string_view::npos) return {std::string(value), 0};
  const auto token = core::read_number<core::Token>(value.substr(last + 1));
  if (!token) return {std::string(value), 0};
  // A token never begins with a zero. What does is how the name is passed on to those who wait; see release.lua.
  if (value[last + 1] == '0') return {std::string(value.substr(0, middle)), 0, true};
  return {std::string(value.substr(0, middle)), *token};
}

std::optional<core::Ttl> time_left(std::int64_t pttl) {
  if (pttl < 0) return std::nullopt;
  return std::min(core::Ttl(pttl), left_max);
}

core::KeyState key_state(std::string_view value, std::int64_t pttl, std::int64_t waiters) {
  core::KeyState state{.waiters = waiters};
  if (pttl == no_such_key) return state;
  state.holder = read_holder(value);
  if (state.holder->token != 0) state.grant = read_stamp(stamp_in(value));
  state.left = time_left(pttl);
  return state;
}

}  // namespace tenure::redis
