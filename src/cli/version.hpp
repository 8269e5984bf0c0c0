// Which version of Tenure this program is.
#pragma once

#include <string_view>

namespace tenure::cli {

std::string_view version();

}  // namespace tenure::cli
