// tenure doctor: are the nodes fit for leases, and if not, what is to be done? Changes nothing. Gives the exit code.
#pragma once

#include "cli/args/args.hpp"
#include "cli/doctor/diagnosis.hpp"

namespace tenure::cli {

int doctor(const DoctorArgs& args);

// What comes of any diagnosis: prints it, and gives the exit code.
int tell(const Diagnosis& diagnosis, bool as_json);

}  // namespace tenure::cli
