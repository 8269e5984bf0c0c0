// tenure web: the endpoint alone, against the stores. Gives the exit code.
#pragma once

#include "cli/args/args.hpp"

namespace tenure::cli {

int web(const WebArgs& args);

}  // namespace tenure::cli
