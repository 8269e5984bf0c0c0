#include "cli/doctor.hpp"

#include <algorithm>
#include <cstdio>

#include "cli/diagnosis.hpp"
#include "cli/doctor_output.hpp"
#include "cli/message.hpp"
#include "core/names.hpp"
#include "core/timing.hpp"

namespace tenure::cli {

namespace {

int refuse(const std::string& sentence) {
  say(sentence);
  return number(ExitCode::usage);
}

// As monitoring systems take them. A note is no reason for a person to get up.
int code_for(const Diagnosis& diagnosis) {
  if (diagnosis.status() == Status::no_quorum) return number(ExitCode::critical);
  const bool all_well = diagnosis.status() == Status::healthy && !diagnosis.has(Severity::warning);
  return number(all_well ? ExitCode::done : ExitCode::degraded);
}

}  // namespace

int doctor(const DoctorArgs& args) {
  if (auto error = core::name_error("the lock prefix", args.lock_prefix)) return refuse(*error);
  auto nodes = choose_nodes(args.nodes);
  if (!nodes) return refuse(nodes.error());
  core::TimingOptions options;
  options.ttl_max = nodes->keyspace.cap;
  options.ttl = args.ttl.value_or(std::min(options.ttl, options.ttl_max));
  const auto timing = core::make_timing(options);
  if (!timing) return refuse(timing.error());

  const Diagnosis diagnosis = diagnose(std::move(*nodes), args.lock_prefix, timing->node_timeout);
  std::fputs((args.json ? doctor_json(diagnosis) : doctor_text(diagnosis)).c_str(), stdout);
  const int written = finish_output();
  return written == number(ExitCode::done) ? code_for(diagnosis) : written;
}

}  // namespace tenure::cli
