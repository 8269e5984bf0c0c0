// Which node of a Redis Cluster serves which slot, as one node says it, and as most of the masters do.
// A map is what was said at some time: only the node that serves a request knows whether it still does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "core/message.hpp"
#include "redis/cluster/slot.hpp"
#include "redis/script_call.hpp"
#include "redis/url.hpp"
#include "redis/value.hpp"

namespace tenure::redis {

struct ClusterNode {
  HostPort place{};
  std::string id{};  // by which the nodes know it, whatever its address; empty: not said

  bool operator==(const ClusterNode&) const = default;
};

// By its id, where both have one.
bool same_node(const ClusterNode& one, const ClusterNode& other);

// A master that serves slots, and who follows it.
struct Shard {
  ClusterNode master{};
  std::vector<ClusterNode> replicas{};

  bool operator==(const Shard&) const = default;
};

class SlotMap {
 public:
  // Nothing is served.
  SlotMap() : served_by_(slots, nobody) {}

  // Returns nullptr if nobody serves the slot.
  const HostPort* master_of(Slot slot) const;
  const Shard* shard_of(Slot slot) const;
  // Those that serve a slot, each once.
  std::vector<HostPort> masters() const;
  std::span<const Shard> shards() const { return shards_; }
  // How many slots are served.
  std::size_t served() const;

  // From now on this shard serves the slots from first to last. It is known by its master.
  void assign(Slot first, Slot last, const Shard& shard);
  // As MOVED says it: whoever this is, replicas of a new one are not known.
  void move(Slot slot, const HostPort& master);

 private:
  static constexpr std::uint16_t nobody = 0xffff;

  std::uint16_t index_of(const Shard& shard);  // of one that may be new
  void forget_idle();

  std::vector<Shard> shards_{};  // each serves at least one slot
  std::vector<std::uint16_t> served_by_;
};

Command slots_question();  // CLUSTER SLOTS

// What a node answers to it. A node whose host is not said is on the one that was asked. A failure: an error that Redis has raised,
// ranges that overlap, what is no map at all. A Cluster that serves only some slots, or none, is a map.
tl::expected<SlotMap, core::Failure> read_slot_map(const Value& answer, std::string_view asked_host = {});

// For each slot the master that more views name than any other, and at least `needed` of them; nobody where none is. Each view must be
// that of another master: replicas only repeat what they have heard.
// A master that was frozen, and replaced meanwhile, still names itself until it hears of that. Where it is the only one that was
// reached it would win, unless `needed` is a majority of the masters.
SlotMap agreed(std::span<const SlotMap> views, std::size_t needed = 1);

}  // namespace tenure::redis
