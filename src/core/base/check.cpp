#include "core/base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace tenure::core {

void broken(std::string_view what, std::source_location where) {
  std::fprintf(stderr, "tenure: broken invariant: %.*s (%s:%u)\n", static_cast<int>(what.size()), what.data(),
               where.file_name(), static_cast<unsigned>(where.line()));
  std::abort();
}

}  // namespace tenure::core
