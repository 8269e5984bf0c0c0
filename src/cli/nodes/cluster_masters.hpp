// The masters of a Redis Cluster with the slots that each serves, asked over connections of their own and all at the same time.
#pragma once

#include <span>
#include <tl/expected.hpp>
#include <vector>

#include "core/base/time.hpp"
#include "core/message.hpp"
#include "redis/cluster/slot.hpp"
#include "redis/cluster/slot_map.hpp"
#include "redis/net/caller.hpp"
#include "redis/net/cluster_view.hpp"
#include "redis/text/nodes.hpp"
#include "runtime/engine/at_once.hpp"
#include "runtime/store/answers.hpp"

namespace tenure::cli {

// The Cluster among the nodes, which then is the only one. Returns nullptr if there is none.
const redis::Address* cluster_in(const redis::Nodes& nodes);

struct Master {
  redis::HostPort where{};
  std::vector<redis::HostPort> replicas{};
  std::vector<redis::Slot> slots{};  // ascending; at least one
};
// In the order of the first slot of each.
std::vector<Master> masters_in(const redis::SlotMap& map);

// What ask(redis, master) gave for each master, or why it could not be asked: with its host and port. Answer is default-constructible.
template <class Answer, class Ask>
runtime::Answers<Answer> ask_masters(const redis::Nodes& nodes, std::span<const Master> masters,
                                     core::Duration timeout, const Ask& ask);

// One answer for each command, in their order; an error that Redis answers with is a Failure. Many commands are sent in parts, each
// with a time of its own.
tl::expected<std::vector<redis::Value>, core::Failure> call_each(redis::Caller& redis,
                                                                 std::span<const redis::Command> commands);

// Asks whoever serves the slot now, and follows where it is sent. Of a script: by its body, as it may go to several servers.
tl::expected<redis::Value, core::Failure> ask_slot(const redis::Nodes& cluster, redis::Slot slot,
                                                   const redis::Command& command, core::Duration timeout);

// Those of a Cluster all of whose slots are served; a Failure where some are not.
tl::expected<std::vector<Master>, core::Failure> find_all_masters(const redis::Nodes& cluster,
                                                                  core::Duration timeout);

core::Failure nobody_serves(redis::Slot slot);
core::Failure at_master(const redis::HostPort& where, core::Failure failure);

template <class Answer, class Ask>
runtime::Answers<Answer> ask_masters(const redis::Nodes& nodes, std::span<const Master> masters,
                                     core::Duration timeout, const Ask& ask) {
  runtime::Answers<Answer> answers(masters.size());
  runtime::at_once(masters.size(), [&](std::size_t i) {
    const redis::Address server = redis::server_of(nodes.addresses.front(), masters[i].where);
    auto redis = redis::Caller::connect(server, timeout, nodes.tls);
    if (redis) {
      answers[i] = ask(*redis, i);
    } else {
      answers[i] = tl::unexpected(redis.error());
    }
    if (!answers[i]) answers[i] = tl::unexpected(at_master(masters[i].where, answers[i].error()));
  });
  return answers;
}

}  // namespace tenure::cli
