#include "core/lease/grant.hpp"

#include "core/base/check.hpp"
#include "core/base/number.hpp"
#include "core/base/text.hpp"

namespace tenure::core {

Grant::Grant(std::string_view owner, std::uint64_t nonce) {
  must(!owner.empty(), "a grant has an owner");
  const std::string digits = hex16(nonce);
  stamp_.reserve(owner.size() + digits.size() + 2);
  stamp_.append(owner).append("#").append(digits).append("#");
}

Holder read_holder(std::string_view value) {
  // From the right: an owner may contain '#', a nonce and a token cannot.
  const auto last = value.rfind('#');
  if (last == std::string_view::npos || last == 0) return {std::string(value), 0};
  const auto middle = value.rfind('#', last - 1);
  if (middle == std::string_view::npos) return {std::string(value), 0};
  const auto token = read_number<Token>(value.substr(last + 1));
  if (!token) return {std::string(value), 0};
  // A token never begins with a zero. What does is how the name is passed on to those who wait; see release.lua.
  if (value[last + 1] == '0') return {std::string(value.substr(0, middle)), 0, true};
  return {std::string(value.substr(0, middle)), *token};
}

}  // namespace tenure::core
