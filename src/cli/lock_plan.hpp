// What the commands about locks have in common: which nodes and which key are meant, and what is said when too few
// nodes answer.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "cli/args.hpp"
#include "cli/lock_look.hpp"
#include "cli/nodes.hpp"

namespace tenure::cli {

// The error is a sentence about the words on the command line. Without a name: about the prefix only.
tl::expected<Nodes, std::string> lock_nodes(const LockPlace& place, const std::optional<std::string>& name);

// Says which nodes did not answer. False when too many did not.
bool say_failures(const Looked& looked, const Nodes& nodes);

}  // namespace tenure::cli
