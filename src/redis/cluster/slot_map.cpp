#include "redis/cluster/slot_map.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/check.hpp"
#include "redis/cluster/node_place.hpp"
#include "redis/failure.hpp"

namespace tenure::redis {

namespace {

using core::Applied;
using core::Failure;
using core::FailureCode;

constexpr std::size_t shards_max = 1000;  // Redis Cluster is made for no more
constexpr std::size_t replicas_max = 100;

Failure no_map(const std::string& why) {
  return {Applied::no, FailureCode::protocol, "what it says of the Cluster's slots cannot be used: " + why};
}

Failure refusal(const std::string& error) {
  if (error.find("cluster support disabled") != std::string::npos)
    return {Applied::no, FailureCode::unsupported, "it is no node of a Redis Cluster"};
  Failure failure = classify(error);
  failure.applied = Applied::no;  // only a question
  return failure;
}

// A node that has no host name where those are preferred is shown as "?", with its IP address in the metadata.
std::optional<std::string> ip_in(const Value& metadata) {
  for (std::size_t i = 0; i + 1 < metadata.items.size(); i += 2) {
    if (metadata.items[i].text == "ip") return read_node_host(metadata.items[i + 1].text);
  }
  return std::nullopt;
}

// [host, port, id, metadata], of which old servers leave out what stands at the end.
std::optional<ClusterNode> read_node(const Value& value, std::string_view asked_host) {
  const auto& items = value.items;
  if (items.size() < 2 || items[1].kind != Value::Kind::integer) return std::nullopt;
  const auto port = items[1].integer;
  auto host = read_node_host(items[0].text);
  if (items[0].text == "?" && items.size() > 3) host = ip_in(items[3]).value_or("");
  if (!host || port < 1 || port > 65535) return std::nullopt;
  if (host->empty()) host = asked_host;
  return ClusterNode{{std::move(*host), static_cast<std::uint16_t>(port)},
                     items.size() > 2 ? items[2].text : std::string()};
}

std::optional<Slot> read_slot(const Value& value) {
  if (value.kind != Value::Kind::integer || value.integer < 0) return std::nullopt;
  if (static_cast<std::uint64_t>(value.integer) >= slots) return std::nullopt;
  return static_cast<Slot>(value.integer);
}

// A replica that makes no sense is left out: nothing rests on them.
std::optional<Shard> read_shard(std::span<const Value> nodes, std::string_view asked_host) {
  if (nodes.empty()) return std::nullopt;
  auto master = read_node(nodes.front(), asked_host);
  if (!master) return std::nullopt;
  Shard shard{std::move(*master), {}};
  for (const Value& node : nodes.subspan(1)) {
    if (shard.replicas.size() == replicas_max) break;
    if (auto replica = read_node(node, asked_host)) shard.replicas.push_back(std::move(*replica));
  }
  return shard;
}

// Counts what several views name, by one number for each master that any of them names.
class Tally {
 public:
  explicit Tally(std::span<const SlotMap> views) : views_(views) {
    for (const SlotMap& view : views) {
      auto& numbers = numbers_.emplace_back();
      for (const Shard& shard : view.shards()) numbers.push_back(number_of(shard));
    }
    votes_.resize(masters_.size());
  }

  // Returns nullptr if nobody has enough of them, or two have equally many.
  const Shard* winner(Slot slot, std::size_t needed) {
    std::ranges::fill(votes_, 0);
    for (std::size_t i = 0; i < views_.size(); ++i) {
      if (const Shard* shard = views_[i].shard_of(slot))
        votes_[numbers_[i][static_cast<std::size_t>(shard - views_[i].shards().data())]] += 1;
    }
    const auto most = std::ranges::max_element(votes_);
    if (most == votes_.end() || *most < std::max<std::size_t>(needed, 1)) return nullptr;
    if (std::ranges::count(votes_, *most) > 1) return nullptr;
    return masters_[static_cast<std::size_t>(most - votes_.begin())];
  }

 private:
  std::size_t number_of(const Shard& shard) {
    const auto found =
        std::ranges::find_if(masters_, [&](const Shard* it) { return same_node(it->master, shard.master); });
    if (found == masters_.end()) return masters_.push_back(&shard), masters_.size() - 1;
    return static_cast<std::size_t>(found - masters_.begin());
  }

  std::span<const SlotMap> views_;
  std::vector<const Shard*> masters_{};
  std::vector<std::vector<std::size_t>> numbers_{};  // of each view, of each of its shards
  std::vector<std::size_t> votes_{};
};

}  // namespace

bool same_node(const ClusterNode& one, const ClusterNode& other) {
  if (!one.id.empty() && !other.id.empty()) return one.id == other.id;
  return one.place == other.place;
}

const Shard* SlotMap::shard_of(Slot slot) const {
  core::must(slot < slots, "a slot is less than 16384");
  return served_by_[slot] == nobody ? nullptr : &shards_[served_by_[slot]];
}

const HostPort* SlotMap::master_of(Slot slot) const {
  const Shard* shard = shard_of(slot);
  return shard == nullptr ? nullptr : &shard->master.place;
}

std::vector<HostPort> SlotMap::masters() const {
  std::vector<HostPort> places;
  for (const Shard& shard : shards_) places.push_back(shard.master.place);
  return places;
}

std::size_t SlotMap::served() const {
  return slots - static_cast<std::size_t>(std::ranges::count(served_by_, nobody));
}

std::uint16_t SlotMap::index_of(const Shard& shard) {
  const auto found =
      std::ranges::find_if(shards_, [&](const Shard& it) { return same_node(it.master, shard.master); });
  const auto index = static_cast<std::uint16_t>(found - shards_.begin());
  if (found == shards_.end()) {
    shards_.push_back(shard);
  } else if (!shard.replicas.empty()) {
    found->replicas = shard.replicas;
  }
  return index;
}

void SlotMap::forget_idle() {
  std::vector<bool> serves(shards_.size(), false);
  for (const std::uint16_t index : served_by_) {
    if (index != nobody) serves[index] = true;
  }
  std::vector<std::uint16_t> new_index(shards_.size(), nobody);
  std::vector<Shard> kept;
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    if (!serves[i]) continue;
    new_index[i] = static_cast<std::uint16_t>(kept.size());
    kept.push_back(std::move(shards_[i]));
  }
  shards_ = std::move(kept);
  for (std::uint16_t& index : served_by_) {
    if (index != nobody) index = new_index[index];
  }
}

void SlotMap::assign(Slot first, Slot last, const Shard& shard) {
  core::must(first <= last && last < slots, "a range of slots is in order, and below 16384");
  const auto index = index_of(shard);
  const auto range = std::span(served_by_).subspan(first, last - first + 1u);
  const bool took_some = std::ranges::any_of(range, [&](auto it) { return it != nobody && it != index; });
  std::ranges::fill(range, index);
  if (took_some) forget_idle();
}

void SlotMap::move(Slot slot, const HostPort& master) { assign(slot, slot, {.master = {.place = master}}); }

Command slots_question() { return {"CLUSTER", "SLOTS"}; }

tl::expected<SlotMap, Failure> read_slot_map(const Value& answer, std::string_view asked_host) {
  if (answer.kind == Value::Kind::error) return tl::unexpected(refusal(answer.text));
  if (answer.kind != Value::Kind::array) return tl::unexpected(no_map("it is no list"));
  SlotMap map;
  for (const Value& entry : answer.items) {
    if (entry.items.size() < 3) return tl::unexpected(no_map("an entry lacks its range or its master"));
    const auto first = read_slot(entry.items[0]);
    const auto last = read_slot(entry.items[1]);
    if (!first || !last || *first > *last) return tl::unexpected(no_map("a range is none"));
    const auto shard = read_shard(std::span(entry.items).subspan(2), asked_host);
    if (!shard) return tl::unexpected(no_map("a master has no address"));
    for (Slot slot = *first; slot <= *last; ++slot) {
      if (map.shard_of(slot) != nullptr)
        return tl::unexpected(no_map("slot " + std::to_string(slot) + " is in two ranges"));
    }
    map.assign(*first, *last, *shard);
    if (map.shards().size() > shards_max) return tl::unexpected(no_map("it has more than 1000 masters"));
  }
  return map;
}

SlotMap agreed(std::span<const SlotMap> views, std::size_t needed) {
  Tally tally(views);
  SlotMap map;
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const auto at = static_cast<Slot>(slot);
    if (const Shard* shard = tally.winner(at, needed)) map.assign(at, at, *shard);
  }
  return map;
}

}  // namespace tenure::redis
