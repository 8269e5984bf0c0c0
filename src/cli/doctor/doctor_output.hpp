// A diagnosis for a person, in the words of the usual health check of such a set, and for a program.
#pragma once

#include <string>

#include "cli/doctor/diagnosis.hpp"
#include "cli/screen/paint.hpp"

namespace tenure::cli {

std::string doctor_text(const Diagnosis& diagnosis, const Paint& paint);
// One object; docs/doctor.md says what is in it.
std::string doctor_json(const Diagnosis& diagnosis);

}  // namespace tenure::cli
