// A client of the chosen nodes.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "cli/nodes/chosen_store.hpp"
#include "tenure/client.hpp"
#include "tenure/options.hpp"
#include "tenure/refusal.hpp"

namespace tenure::cli {

// Its options but for what the nodes themselves say. It logs what happens beside the calls.
ClientOptions client_of(const ChosenStore& store, const std::string& id);
// Reads no files again: a key that is being replaced, or came through a pipe, was read when the program started.
tl::expected<Client, Refusal> open_client(const ChosenStore& store, ClientOptions options);

// Where nothing was asked of the nodes yet: says why it was refused, and gives the exit code.
int fail_at_start(const Refusal& refusal);

}  // namespace tenure::cli
