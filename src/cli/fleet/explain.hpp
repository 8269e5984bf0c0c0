// tenure explain: why a session has the owner that it has. Gives the exit code.
#pragma once

#include "cli/args/args.hpp"

namespace tenure::cli {

int explain(const ExplainArgs& args);

}  // namespace tenure::cli
