// A node as it is before a command changes it: one that Tenure works with, and the record that it has.
#pragma once

#include <chrono>
#include <string>
#include <tl/expected.hpp>

#include "cli/doctor/server_info.hpp"
#include "core/message.hpp"
#include "redis/net/caller.hpp"
#include "redis/text/nodes.hpp"
#include "redis/url.hpp"

namespace tenure::cli {

// How long a node may take to answer a command that changes it.
inline constexpr core::Duration change_timeout = std::chrono::seconds(5);

struct SeenNode {
  redis::Caller redis;  // by which it can be changed
  ServerInfo info;
  std::string record;  // empty: none
};

// Changes nothing. Fails when the node does not answer, and when it is none that Tenure works with.
tl::expected<SeenNode, core::Failure> see_node(const redis::Address& address, const redis::Nodes& nodes);

}  // namespace tenure::cli
