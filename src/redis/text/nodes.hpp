// The nodes that take part: where they are, and what is common to all of them.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "redis/script_call.hpp"
#include "redis/url.hpp"
#include "runtime/net/tls.hpp"

namespace tenure::redis {

// One Redis, or several of which a quorum decides.
struct Nodes {
  std::vector<Address> addresses{};
  Keyspace keyspace{};
  runtime::TlsOptions tls_options{};
  runtime::Tls tls{};  // loaded from them, where a node asks for it

  bool several() const { return addresses.size() > 1; }
  // For people; without secrets.
  std::vector<std::string> names() const;
  // The name that somebody chose for them; empty: their addresses are it.
  std::string chosen_set() const;
  std::size_t quorum() const;
};

// Each must be another server, and there may not be too many; a Cluster stands alone. What is wrong, or nothing.
std::optional<std::string> error_in(const std::vector<Address>& addresses);

// Do both name the same database of the same server? As whom we come there is another question.
bool same_database(const Address& one, const Address& other);

// Addresses as users write them. The error is a sentence without secrets.
tl::expected<std::vector<Address>, std::string> parse_addresses(const std::vector<std::string>& urls);

// Loads TLS where one of these asks for it. The error is a sentence: a file is wrong, or TLS is set up and none of them asks.
tl::expected<runtime::Tls, std::string> load_tls(const std::vector<Address>& addresses,
                                                 const runtime::TlsOptions& options);

// The key of a lock; of an election, which has no prefix of its own. The error is a sentence: one of those that Tenure needs for itself can be none.
tl::expected<std::string, std::string> lock_key(const std::string& prefix, const std::string& name,
                                                const Keyspace& keyspace);

// An even number works, and is no better than one node less: a sentence about it, or nothing.
std::optional<std::string> warning_of_even(std::size_t nodes);

}  // namespace tenure::redis
