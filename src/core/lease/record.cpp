#include "core/lease/record.hpp"

#include "core/base/number.hpp"

namespace tenure::core {

std::size_t nodes_in(std::string_view set) {
  return read_number<std::size_t>(set.substr(0, set.find('-'))).value_or(0);
}

}  // namespace tenure::core
