// The nodes that a command was told to use, of whatever kind of store they are.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "cli/args/http_args.hpp"
#include "cli/nodes/nodes.hpp"
#include "core/base/time.hpp"
#include "runtime/store/store.hpp"
#include "tenure/client.hpp"
#include "tenure/options.hpp"
#include "tenure/refusal.hpp"

namespace tenure::cli {

struct ChosenStore {
  std::shared_ptr<const runtime::Store> store;
  std::string prefix;
  std::string
      how_to_init;  // ": tenure init --redis URL …", to be read behind "if it is new"; without secrets
  std::optional<Nodes> redis{};  // for what only Redis is asked

  core::Ttl cap() const { return store->terms().cap; }
  std::size_t nodes() const { return store->names().size(); }
};

// The error is a sentence without secrets. A PostgreSQL can be opened in tenure-fleet alone (fleet_program.hpp).
tl::expected<ChosenStore, std::string> choose_store(const NodeArgs& args);

// The options of a client of the PostgreSQL that is named there, of which the rest is as usual. The error is a sentence without
// secrets.
tl::expected<ClientOptions, std::string> postgresql_options(const NodeArgs& args, detail::NamedNodes named);

// ": tenure init --store URL …", to be read behind "if it is new" and pasted into a shell: a password is not shown, and comes from
// a variable.
std::string how_to_init(const ClientOptions& postgresql);

// Is a PostgreSQL named? Also if something else is wrong with the words.
bool names_postgresql(const NodeArgs& args);

// What to do about a refusal, with which options: to be read behind its message. See advice.hpp.
std::string advice_on(const Refusal& refusal, const ChosenStore& store);

// Why there can be no endpoint (--http) of these nodes; nothing where there can, or none is asked for.
std::optional<std::string> no_endpoint(const HttpArgs& http, const ChosenStore& store);

// See client_of.hpp.
ClientOptions client_of(const ChosenStore& store, const std::string& id);
tl::expected<Client, Refusal> open_client(const ChosenStore& store, ClientOptions options);

}  // namespace tenure::cli
