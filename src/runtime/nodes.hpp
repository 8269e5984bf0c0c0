// The nodes that take part: where they are, and what is common to all of them.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "redis/script_call.hpp"
#include "redis/url.hpp"

namespace tenure::runtime {

// One Redis, or several of which a quorum decides.
struct Nodes {
  std::vector<redis::Address> addresses{};
  redis::Keyspace keyspace{};

  bool several() const { return addresses.size() > 1; }
  std::size_t quorum() const;
};

// Each a URL, each another server, and not too many. The error is a sentence without secrets.
tl::expected<std::vector<redis::Address>, std::string> read_addresses(const std::vector<std::string>& urls);

// An even number works, and is no better than one node less: a sentence about it, or nothing.
std::optional<std::string> warning_of_even(const Nodes& nodes);

// "--redis URL --prefix TEXT …": what names these nodes on a command line, without secrets.
std::string as_options(const Nodes& nodes);

}  // namespace tenure::runtime
