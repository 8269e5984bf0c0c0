#include "cli/doctor/doctor.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/doctor/diagnosis.hpp"
#include "cli/doctor/doctor_output.hpp"
#include "cli/message.hpp"
#include "cli/nodes/advice.hpp"
#include "cli/nodes/chosen_store.hpp"
#include "core/base/names.hpp"
#include "core/lease/timing.hpp"

namespace tenure::cli {

namespace {

// As monitoring systems take them. A note is no reason for a person to get up.
ExitCode code_for(const Diagnosis& diagnosis) {
  if (diagnosis.status() == Status::no_quorum) return ExitCode::critical;
  const bool all_well = diagnosis.status() == Status::healthy && !diagnosis.has(Severity::warning);
  return all_well ? ExitCode::done : ExitCode::degraded;
}

}  // namespace

int doctor(const DoctorArgs& args) {
  if (auto error = core::name_error("the lock prefix", args.lock_prefix))
    return fail(ExitCode::usage, *error);
  const auto store = choose_store(args.nodes);
  if (!store) return fail(ExitCode::usage, store.error());
  const auto timing = core::make_timing(core::timing_options(args.ttl, store->cap()));
  if (!timing) return fail(ExitCode::usage, naming_cap(timing.error(), args.ttl, store->cap()));
  const Diagnosis diagnosis = store->inspector->diagnose(args.lock_prefix, timing->node_timeout);
  std::fputs((args.json ? doctor_json(diagnosis) : doctor_text(diagnosis, paint_for(STDOUT_FILENO))).c_str(),
             stdout);
  return finish_output(code_for(diagnosis));
}

}  // namespace tenure::cli
