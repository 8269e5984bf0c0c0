// A diagnosis in which everything there can be is there: a node that is well, one in quarantine, and one that is down.
#pragma once

#include <utility>

#include "cli/doctor/diagnosis.hpp"

namespace tenure::test {

inline cli::Diagnosis sample_diagnosis() {
  using namespace std::chrono_literals;
  const auto shown = [](std::string name) {
    cli::NodeShown node{.name = std::move(name), .round_trip = 300us, .clock_ahead = -15ms};
    node.record = core::FoundRecord(core::Record{.epoch = "e", .open = true}, "shown");
    return node;
  };
  cli::Diagnosis seen;
  seen.nodes = {shown("redis://a:6379/0"),
                shown("redis://b:6379/0"),
                {.name = "redis://c:6379/0",
                 .down = core::Failure{core::Applied::no, core::FailureCode::unreachable, "refused"}}};
  seen.add(1, {{cli::Severity::error, "quarantined", {}, "it was restarted", "", "wait"}});
  seen.add(2, {{cli::Severity::error, "down", {}, "it does not answer", "", "start it"}});
  return seen;
}

}  // namespace tenure::test
