#include "redis/net/cluster_map_search.hpp"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "core/lease/access.hpp"
#include "core/nodes.hpp"
#include "redis/conversation.hpp"
#include "redis/net/speech.hpp"
#include "redis/url_parts.hpp"
#include "runtime/boot_clock.hpp"

namespace tenure::redis {

namespace {

using core::Applied;
using core::Failure;
using core::FailureCode;

// A Cluster has no more.
constexpr std::size_t nodes_max = 1000;

std::vector<Command> question(const Address& address) {
  auto commands = greeting_commands({address.user, address.password, 0});
  commands.push_back({"CLUSTER", "MYID"});
  commands.push_back(slots_question());
  return commands;
}

std::size_t masters_named(const std::vector<SlotMap>& views) {
  std::size_t most = 0;
  for (const SlotMap& view : views) most = std::max(most, view.shards().size());
  return most;
}

}  // namespace

ClusterMapSearch::ClusterMapSearch(const Address& address, const runtime::Tls& tls, Lookups& lookups,
                                   const std::vector<HostPort>& known, Limits limits)
    : address_(address), tls_(tls), lookups_(lookups), gives_up_(limits.gives_up_unanswered) {
  const core::Duration in_time = std::min(MasterSearch::in_time_max, limits.patience / 2);
  in_time_until_ = runtime::boot_now() + in_time;
  timer_ = runtime::timer_after(in_time);
  starved_ = !timer_;
  lookups_.limit();
  for (const HostPort& where : known) add(where);
  for (const HostPort& where : address.seeds) add(where);
}

void ClusterMapSearch::add(const HostPort& where) {
  if (nodes_.size() == nodes_max || std::ranges::find(nodes_, where, &Node::where) != nodes_.end()) return;
  Node& node = nodes_.emplace_back();
  node.where = where;
  node.inquiry.emplace(where, address_, tls_, lookups_.of(where), question(address_));
}

tl::expected<std::optional<SlotMap>, Failure> ClusterMapSearch::step() {
  if (starved_) return tl::unexpected(runtime::no_descriptor());
  // There may be more of them by then. NOLINTNEXTLINE(modernize-loop-convert)
  for (std::size_t i = 0; i < nodes_.size(); ++i) ask(nodes_[i]);
  const auto said = views();
  if (auto map = in_agreement(said)) return map;
  const bool late = runtime::boot_now() >= in_time_until_;
  if (all_answered() || late) {
    const std::size_t majority = core::quorum_of(masters_named(said));
    if (!said.empty()) return agreed(said, said.size() >= majority ? majority : 1);
    if (all_answered() || gives_up_) return tl::unexpected(failure());
    timer_ = {};  // the first that answers will do
    if (wait_for_more()) return std::nullopt;
    return tl::unexpected(runtime::no_descriptor());
  }
  if (wait_for_more()) return std::nullopt;
  return tl::unexpected(runtime::no_descriptor());
}

void ClusterMapSearch::ask(Node& node) {
  if (!node.inquiry) return;
  auto answers = node.inquiry->step();
  if (answers && !*answers) return;
  node.inquiry.reset();
  if (!answers) {
    node.failure = with_scheme(std::move(answers.error()), address_);
    return;
  }
  const std::vector<Value>& said = **answers;
  const Greeting greeting{address_.user, address_.password, 0};
  for (std::size_t i = 0; i + 2 < said.size(); ++i) {
    if (said[i].kind != Value::Kind::error) continue;
    node.failure = greeting_failure(greeting, said[i].text);
    node.failure->applied = Applied::no;
    return;
  }
  auto view = read_slot_map(said.back(), node.where.host);
  if (!view) {
    node.failure = std::move(view.error());
    return;
  }
  const Value& id = said[said.size() - 2];
  if (id.kind == Value::Kind::string) node.id = id.text;
  for (const Shard& shard : view->shards()) {
    const auto is_it = [&](const Node& it) { return !it.id.empty() && it.id == shard.master.id; };
    if (std::ranges::none_of(nodes_, is_it)) add(shard.master.place);
  }
  node.view = std::move(*view);
}

// Somebody says so: it, or another.
bool ClusterMapSearch::is_master(const Node& node) const {
  const ClusterNode it{node.where, node.id};
  return std::ranges::any_of(nodes_, [&](const Node& other) {
    return other.view && std::ranges::any_of(other.view->shards(),
                                             [&](const Shard& shard) { return same_node(shard.master, it); });
  });
}

std::vector<SlotMap> ClusterMapSearch::views() const {
  std::vector<SlotMap> views;
  std::vector<ClusterNode> counted;
  for (const Node& node : nodes_) {
    if (!node.view || !is_master(node)) continue;
    const ClusterNode it{node.where, node.id};
    if (std::ranges::any_of(counted, [&](const ClusterNode& other) { return same_node(it, other); }))
      continue;
    counted.push_back(it);
    views.push_back(*node.view);
  }
  return views;
}

// Nothing that is still to be heard can change it.
std::optional<SlotMap> ClusterMapSearch::in_agreement(const std::vector<SlotMap>& views) const {
  const std::size_t majority = core::quorum_of(masters_named(views));
  if (views.empty() || views.size() < majority) return std::nullopt;
  SlotMap map = agreed(views, majority);
  std::size_t most = 0;
  for (const SlotMap& view : views) most = std::max(most, view.served());
  if (map.served() < most) return std::nullopt;
  return map;
}

bool ClusterMapSearch::all_answered() const {
  return std::ranges::all_of(nodes_, [](const Node& it) { return !it.inquiry; });
}

// What several say is said once.
std::vector<std::pair<Failure, std::string>> ClusterMapSearch::complaints() const {
  std::vector<std::pair<Failure, std::string>> said;
  for (const Node& node : nodes_) {
    if (node.view) continue;
    const Failure& why = node.failure ? *node.failure : core::silence;
    const auto same =
        std::ranges::find_if(said, [&](const auto& it) { return it.first.detail == why.detail; });
    if (same == said.end()) {
      said.emplace_back(why, to_text(node.where));
    } else {
      same->second += ", " + to_text(node.where);
    }
  }
  return said;
}

std::string ClusterMapSearch::trouble() const {
  std::string text;
  for (const auto& [why, who] : complaints()) text += (text.empty() ? "" : "; ") + who + ": " + why.detail;
  return text.empty() ? "none of its masters has answered" : text;
}

// A refusal counts only where everybody refuses: one that is away may let us in when it is back.
Failure ClusterMapSearch::failure() const {
  const auto said = complaints();
  const bool all_refuse =
      std::ranges::all_of(said, [](const auto& it) { return core::denies_access(it.first); });
  const auto tells = [&](const auto& it) {
    return it.first.code != FailureCode::unreachable && (all_refuse || !core::denies_access(it.first));
  };
  const auto found = std::ranges::find_if(said, tells);
  const FailureCode code = found == said.end() ? FailureCode::unreachable : found->first.code;
  return {Applied::no, code, "no map of the Redis Cluster: " + trouble()};
}

bool ClusterMapSearch::wait_for_more() {
  ready_.emplace();
  if (!*ready_) return false;
  runtime::ReadySet::Key key = 0;
  for (const Node& it : nodes_) {
    if (it.inquiry) ready_->watch(key++, {it.inquiry->fd(), it.inquiry->events()});
  }
  if (timer_) ready_->watch(key++, {timer_.get(), POLLIN});
  return true;
}

}  // namespace tenure::redis
