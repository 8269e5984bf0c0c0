// What the commands about locks have in common: which nodes and which key are meant, and what is said when too few
// nodes answer.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "cli/args/args.hpp"
#include "cli/lock/lock_look.hpp"
#include "cli/nodes/chosen_store.hpp"

namespace tenure::cli {

// The error is a sentence about the words on the command line. Without a name: about the prefix only.
tl::expected<ChosenStore, std::string> lock_store(const LockTarget& target,
                                                  const std::optional<std::string>& name);

// Which nodes did not answer, a line for each; or why they are too many. Nothing when all did.
std::optional<std::string> failures_said(const NodeFailures& failures, const std::vector<std::string>& names);

// Says that. False when too many did not answer.
bool say_failures(const Looked& looked, const std::vector<std::string>& names);

}  // namespace tenure::cli
