// Reads JSON that anybody may have written, within bounds. For the few files that look into values themselves. All JSON is
// written by Json, except for sessions (session_json.hpp), which keep what others have written into them.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "poll/boost_json.hpp"

namespace tenure::poll {

// The whole text is one value. The error says what is wrong and where.
tl::expected<json::value, std::string> read_json(std::string_view text);

}  // namespace tenure::poll
