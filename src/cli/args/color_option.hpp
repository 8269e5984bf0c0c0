// --color, which every command takes, and which may stand before the command as well.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "cli/screen/paint.hpp"

namespace tenure::cli {

// Takes it out of the words; what stands behind "--" is not ours. The error is a sentence.
tl::expected<ColorChoice, std::string> take_color_option(std::vector<std::string>& words);

}  // namespace tenure::cli
