#include "cli/doctor/doctor.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/doctor/diagnosis.hpp"
#include "cli/doctor/doctor_output.hpp"
#include "cli/message.hpp"
#include "cli/nodes/advice.hpp"
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

int tell(const Diagnosis& diagnosis, bool as_json) {
  std::fputs((as_json ? doctor_json(diagnosis) : doctor_text(diagnosis, paint_for(STDOUT_FILENO))).c_str(),
             stdout);
  return finish_output(code_for(diagnosis));
}

int doctor(const DoctorArgs& args) {
  if (auto error = core::name_error("the lock prefix", args.lock_prefix))
    return fail(ExitCode::usage, *error);
  auto nodes = choose_nodes(args.nodes);
  if (!nodes) return fail(ExitCode::usage, nodes.error());
  const auto timing = core::make_timing(core::timing_options(args.ttl, nodes->keyspace.cap));
  if (!timing) return fail(ExitCode::usage, naming_cap(timing.error(), args.ttl, nodes->keyspace.cap));

  return tell(diagnose(*nodes, args.lock_prefix, timing->node_timeout), args.json);
}

}  // namespace tenure::cli
