// Who wants a name, and on which nodes: what run and elect have in common.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "cli/nodes/chosen_store.hpp"

namespace tenure::cli {

// As given on the command line.
struct ClaimArgs {
  std::string name;
  std::optional<std::string> lock_prefix{};  // nothing: an election, whose key has none
  std::optional<std::string> id{};           // nothing: one is made
  const NodeArgs& nodes;
};

struct Claim {
  std::string id;
  ChosenStore store;
};

// The error is a sentence: also the name is looked at.
tl::expected<Claim, std::string> make_claim(const ClaimArgs& args);

}  // namespace tenure::cli
