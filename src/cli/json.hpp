// The program writes JSON as all of Tenure does.
#pragma once

#include "poll/json.hpp"

namespace tenure::cli {

using poll::Json;
using poll::json_quoted;

}  // namespace tenure::cli
