// The nodes that a command was told to use, of whatever kind of store they are.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "cli/nodes/node_inspector.hpp"
#include "cli/nodes/nodes.hpp"
#include "core/base/time.hpp"
#include "runtime/store/store.hpp"
#include "tenure/options.hpp"
#include "tenure/refusal.hpp"

namespace tenure::cli {

struct ChosenStore {
  std::shared_ptr<const runtime::Store> store;
  std::string prefix;
  std::shared_ptr<const NodeInspector> inspector;
  std::optional<Nodes> redis{};  // for what only Redis is asked

  bool fleets = true;  // may be kept there

  core::Ttl cap() const { return store->terms().cap; }
  std::size_t nodes() const { return store->names().size(); }
};

// The error is a sentence without secrets. A PostgreSQL can be opened in tenure-fleet alone (fleet_program.hpp). Another Redis beside
// those that are named may be the one that asks for TLS.
tl::expected<ChosenStore, std::string> choose_store(const NodeArgs& args,
                                                    const redis::Address* beside = nullptr);

// The options of a client of the PostgreSQL that is named there, of which the rest is as usual. The error is a sentence without
// secrets.
tl::expected<ClientOptions, std::string> postgresql_options(const NodeArgs& args, detail::NamedNodes named);

// ": tenure init --store URL …", to be read behind "if it is new" and pasted into a shell: a password is not shown, and comes from
// a variable.
std::string how_to_init(const ClientOptions& postgresql);

// Is something else than a Redis named, which only tenure-fleet can open? Also if something else is wrong with the words.
bool names_another_than_redis(const NodeArgs& args);
// Is it a Kubernetes or a Consul?
bool names_http_store(const NodeArgs& args);
// The options of a client of that one, of which the rest is as usual. The error is a sentence without secrets.
tl::expected<ClientOptions, std::string> http_store_options(const NodeArgs& args, detail::NamedNodes named);

// What to do about a refusal, with which options: to be read behind its message. See advice.hpp.
std::string advice_on(const Refusal& refusal, const ChosenStore& store);

}  // namespace tenure::cli

// Defined beside what speaks with a PostgreSQL, and nowhere in tenure, which links no libpq: see tenure_open_postgresql. Of options that
// name one.
extern "C" [[gnu::weak]] void tenure_inspect_postgresql(
    const tenure::ClientOptions& options,
    tl::expected<std::shared_ptr<const tenure::cli::NodeInspector>, std::string>& inspector);
// The same beside what speaks with a Kubernetes or a Consul, of a store that was opened by these options.
extern "C" [[gnu::weak]] void tenure_inspect_http_store(
    const tenure::ClientOptions& options, const std::shared_ptr<const tenure::runtime::Store>& store,
    tl::expected<std::shared_ptr<const tenure::cli::NodeInspector>, std::string>& inspector);
