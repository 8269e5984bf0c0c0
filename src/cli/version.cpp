#include "cli/version.hpp"

namespace tenure::cli {

std::string_view version() { return TENURE_VERSION; }

}  // namespace tenure::cli
