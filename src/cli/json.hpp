// The program writes JSON as all of Tenure does.
#pragma once

#include "core/base/json.hpp"

namespace tenure::cli {

using core::Json;
using core::json_quoted;

}  // namespace tenure::cli
