#include "cli/nodes/reconfigure.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/message.hpp"
#include "cli/nodes/reconfigure_nodes.hpp"
#include "cli/nodes/seen_node.hpp"
#include "redis/net/speech.hpp"
#include "redis/record_text.hpp"
#include "runtime/instance_id.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::cli {

namespace {

using core::Failure;

constexpr std::string_view no_cluster =
    "a Redis Cluster cannot be reconfigured: each of its slots has a record of its own, and they cannot be "
    "changed together. Stop all clients, wait for as long as the cap, and start them with nodes or a "
    "--prefix "
    "that tenure init has made ready";

std::vector<std::string> names_of(const std::vector<redis::Address>& addresses) {
  std::vector<std::string> names;
  for (const auto& address : addresses) names.push_back(redis::to_text(address));
  return names;
}

class ReconfigureRedis : public ReconfigureNodes {
 public:
  ReconfigureRedis(Nodes nodes, std::vector<redis::Address> all)
      : ReconfigureNodes({names_of(all), nodes.addresses.size(), nodes.keyspace.terms(), nodes.chosen_set(),
                          "its key " + nodes.keyspace.record()}),
        nodes_(std::move(nodes)),
        all_(std::move(all)),
        seen_(all_.size()) {}

  tl::expected<core::FoundRecord, Failure> see(std::size_t node) override {
    auto seen = see_node(all_[node], nodes_);
    if (!seen) return failed(node, seen.error());
    seen_[node] = std::move(*seen);
    return redis::found_record(seen_[node]->record);
  }

  Taken take(const core::Reconfiguration::Step& step) override {
    const auto answer = seen_[step.node]->redis.call(redis::reconfigure_call(
        {runtime::random_from_kernel().hex16(), runtime::wall_now_ms()}, step, nodes_.keyspace));
    if (!answer) return failed(step.node, answer.error());
    if (answer->items.size() != 2) return failed(step.node, core::misfit);
    if (answer->items[0].text != "made") return std::nullopt;
    return redis::found_record(answer->items[1].text);
  }

  tl::expected<bool, Failure> open(std::size_t node, const core::Record& record) override {
    const core::OpenRequest request{record.epoch, record.made_ms};
    auto redis = redis::Caller::connect(all_[node], change_timeout, nodes_.tls);
    if (!redis) return failed(node, redis.error());
    const auto answer =
        redis->call(redis::script_call(request, nodes_.keyspace, record.epoch, redis::CallBy::body));
    if (!answer) return failed(node, answer.error());
    return std::holds_alternative<core::Opened>(redis::script_reply(request, *answer));
  }

 private:
  tl::unexpected<Failure> failed(std::size_t node, const Failure& failure) const {
    return tl::unexpected(redis::diagnosed(all_[node], failure));
  }

  Nodes nodes_;  // those that shall decide
  std::vector<redis::Address> all_;
  std::vector<std::optional<SeenNode>> seen_;
};

}  // namespace

int reconfigure(const ReconfigureArgs& args) {
  auto nodes = choose_nodes(args.nodes);
  if (!nodes) return fail(ExitCode::usage, nodes.error());
  auto leaving = redis::parse_addresses(args.leaving);
  if (!leaving) return fail(ExitCode::usage, "--leaving: " + leaving.error());
  std::vector<redis::Address> all = nodes->addresses;
  all.insert(all.end(), leaving->begin(), leaving->end());
  if (std::ranges::find(all, redis::Address::Kind::cluster, &redis::Address::kind) != all.end()) {
    return fail(ExitCode::usage, std::string(no_cluster));
  }
  if (const auto error = redis::error_in(all)) return fail(ExitCode::usage, "--leaving: " + *error);
  ReconfigureRedis redis(std::move(*nodes), std::move(all));
  return reconfigure_all(args, redis);
}

}  // namespace tenure::cli
