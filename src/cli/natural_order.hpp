// The order of names as people count: "name-2" before "name-10". Total: two different names are never equal.
#pragma once

#include <compare>
#include <string_view>

namespace tenure::cli {

// Runs of digits compare by their value, however long; all else by its bytes. Names that differ only in leading zeros
// compare by their bytes.
std::strong_ordering natural_order(std::string_view one, std::string_view other);

struct NaturalLess {
  using is_transparent = void;
  bool operator()(std::string_view one, std::string_view other) const {
    return natural_order(one, other) < 0;
  }
};

}  // namespace tenure::cli
