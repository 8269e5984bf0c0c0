// PostgreSQL as a store of the public API.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "postgres/call.hpp"
#include "postgres/net/address.hpp"
#include "runtime/store/store.hpp"
#include "tenure/options.hpp"

namespace tenure::postgres {

// The nodes that take part: where they are, and what is common to all of them.
struct Nodes {
  std::vector<Address> addresses{};
  Keyspace keyspace{};

  bool several() const { return addresses.size() > 1; }
  // For people; without secrets.
  std::vector<std::string> names() const;
};

// Addresses as users write them, each of another database. The error is a sentence without secrets.
tl::expected<std::vector<Address>, std::string> parse_addresses(const std::vector<std::string>& urls);

// Which nodes decide together; a name that somebody chose for them stands for their places.
std::string node_set(const std::vector<Address>& addresses, const std::string& name);

// The nodes that the options name, with their prefix, cap and set. The error is a sentence without secrets.
tl::expected<Nodes, std::string> nodes_of(const ClientOptions& options);

// The same as a store. Connects to none of them.
tl::expected<std::shared_ptr<const runtime::Store>, std::string> open_store(const ClientOptions& options);

// Of nodes that are known.
std::shared_ptr<const runtime::Store> store_of(Nodes nodes);

}  // namespace tenure::postgres
