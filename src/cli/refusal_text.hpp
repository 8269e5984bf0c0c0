// Why a name was not acquired, in words for a person and as an exit code for a script.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/nodes.hpp"
#include "core/action.hpp"

namespace tenure::cli {

struct RefusalText {
  ExitCode code = ExitCode::own_error;
  std::string sentence;  // of several lines where several nodes failed
};

// Not for RefusalCode::cancelled: whoever cancelled knows why.
RefusalText refusal_text(const core::Refusal& refusal, const std::string& name, const Nodes& nodes);

// "waiting for job: held by web-3 for another 12s (token 5)".
std::string waiting_text(const core::Refusal& refusal, const std::string& name, const Nodes& nodes);

// Behind a sentence: one failure on the same line, several on lines of their own. Nothing where there is none.
std::string failures_text(const std::vector<core::NodeFailure>& failures, const Nodes& nodes);

// Names the node and what it said.
std::string failure_text(const redis::Address& address, const core::Failure& failure);

}  // namespace tenure::cli
