#include "core/lease/grant.hpp"

#include "core/base/check.hpp"

namespace tenure::core {

Grant::Grant(std::string_view owner, std::uint64_t nonce)
    : Grant(std::make_shared<const std::string>(owner), nonce) {
  must(!owner.empty(), "a grant has an owner");
}

}  // namespace tenure::core
