#include "cli/nodes/init.hpp"

#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "cli/doctor/redis_record.hpp"
#include "cli/message.hpp"
#include "cli/nodes/cluster_masters.hpp"
#include "cli/nodes/init_cluster.hpp"
#include "cli/nodes/init_nodes.hpp"
#include "cli/nodes/print_schema.hpp"
#include "cli/nodes/seen_node.hpp"
#include "redis/net/caller.hpp"
#include "redis/net/speech.hpp"
#include "redis/record_text.hpp"
#include "runtime/instance_id.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::cli {

namespace {

using core::Failure;

class InitRedis : public InitNodes {
 public:
  explicit InitRedis(Nodes nodes)
      : InitNodes(nodes.names(), nodes.keyspace.terms(), "Redis"),
        nodes_(std::move(nodes)),
        seen_(nodes_.addresses.size()) {}

  tl::expected<core::FoundRecord, Failure> see(std::size_t node) override {
    const auto& address = nodes_.addresses[node];
    auto seen = see_node(address, nodes_);
    if (!seen) return tl::unexpected(redis::diagnosed(address, seen.error()));
    seen_[node] = std::move(*seen);
    return redis::found_record(seen_[node]->record);
  }

  tl::expected<Made, Failure> make(std::size_t node) override {
    auto made = make_record(seen_[node]->redis);
    if (!made) return tl::unexpected(redis::diagnosed(nodes_.addresses[node], made.error()));
    return made;
  }

  std::string wait_text(std::size_t node) override {
    const NodeFacts facts{
        .address = nodes_.addresses[node], .info = seen_[node]->info, .record = seen_[node]->record};
    const auto closed =
        closed_node(facts, {{{}, nodes_.keyspace}, {}, runtime::wall_now_ms(), nodes_.tls_options});
    return closed && closed->left_max ? text_of_wait(closed->code, closed->what, *closed->left_max) : "";
  }

 private:
  tl::expected<Made, Failure> make_record(redis::Caller& redis) const {
    const auto value = redis.call(
        redis::init_call({runtime::random_from_kernel().hex16(), runtime::wall_now_ms()}, nodes_.keyspace));
    if (!value) return tl::unexpected(value.error());
    if (value->items.size() != 2) return tl::unexpected(core::misfit);
    return Made{value->items[0].text == "made", redis::found_record(value->items[1].text)};
  }

  Nodes nodes_;
  std::vector<std::optional<SeenNode>> seen_;
};

}  // namespace

int init(Nodes nodes, std::function<void(const std::string& line)> report) {
  if (cluster_in(nodes) != nullptr) return init_cluster(nodes, report);
  InitRedis redis(std::move(nodes));
  return init_all(redis, report);
}

int init(const InitArgs& args) {
  if (args.print_sql) return print_schema();
  auto nodes = choose_nodes(args.nodes);
  if (!nodes) return fail(ExitCode::usage, nodes.error());
  if (cluster_in(*nodes) != nullptr) {
    const int code = init_cluster(*nodes, [](const std::string& line) { std::puts(line.c_str()); });
    const int written = finish_output();
    return code == number(ExitCode::done) ? written : code;
  }
  InitRedis redis(std::move(*nodes));
  return init_all(redis);
}

}  // namespace tenure::cli
