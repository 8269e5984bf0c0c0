// tenure doctor: are the nodes fit for leases, and if not, what is to be done? Changes nothing. Gives the exit code.
#pragma once

#include "cli/args/args.hpp"

namespace tenure::cli {

int doctor(const DoctorArgs& args);

}  // namespace tenure::cli
