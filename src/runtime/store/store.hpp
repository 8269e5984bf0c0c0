// The nodes that a client was opened with, of one kind of store, and what only that kind knows: its keys, its words, and how
// its nodes are looked at from outside the engine. The API knows stores by this; src/api/open_store.cpp says which there are.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "core/base/time.hpp"
#include "core/lease/record.hpp"
#include "core/message.hpp"
#include "core/nodes.hpp"
#include "core/notice.hpp"
#include "runtime/store/answers.hpp"
#include "runtime/store/node.hpp"
#include "tenure/fleet.hpp"
#include "tenure/refusal.hpp"

namespace tenure::runtime {

// Whoever waits sits a quarantine out itself, if nobody has begun before; whoever does not is given an estimate.
enum class Patience : std::uint8_t { waits, leaves };

struct NotOpenText {
  std::string text;              // with what to do about it, without options of the program
  std::optional<NotOpen> why{};  // nullopt: it has just changed, and may be open by now
};

// Where a fleet keeps its data, and the node that is asked there; null: the first of the client's.
struct DataPlace {
  FleetData data{};
  std::shared_ptr<Node> node{};
};

// Does not change, so that all threads of a client may use it. All errors are sentences without secrets.
class Store {
 public:
  virtual ~Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Of the nodes, for people and without secrets.
  const std::vector<std::string>& names() const { return names_; }
  bool several() const { return names_.size() > 1; }
  std::size_t quorum() const { return core::quorum_of(names_.size()); }
  // What all clients of these nodes agree on.
  const core::Terms& terms() const { return terms_; }

  // The nodes for one engine.
  virtual std::vector<std::shared_ptr<Node>> make_nodes() const = 0;

  // The key of a lock, or of an election, which has no prefix. The error says why it can be none.
  virtual tl::expected<std::string, std::string> lock_key(const std::string& prefix,
                                                          const std::string& name) const = 0;
  // A key without what the store puts before it: of a lock its prefix and name.
  virtual std::string name_in(std::string key) const = 0;
  // Why no lease can last that long there, or nothing when it can. For what the store itself counts in other lengths.
  virtual std::optional<std::string> ttl_error(core::Ttl /*ttl*/) const { return std::nullopt; }
  // How often somebody who only wants to see who leads may look at most, where each look is a burden to others.
  virtual core::Duration look_every_min() const { return core::Duration::zero(); }
  // What the keys of a fleet begin with. The error says why there can be no fleet of that name.
  virtual tl::expected<std::string, std::string> fleet_keys(const std::string& fleet) const = 0;
  // Where a fleet keeps its data, by FleetOptions::data and data_tls: on the first node if the URL is empty.
  virtual tl::expected<DataPlace, std::string> fleet_data(const std::string& url,
                                                          const tenure::Tls& tls) const = 0;

  // Why the nodes give us no new leases, of a refusal that speaks_of_record(). opens_in: when one who waits has sat the
  // quarantine out, if that is known.
  virtual NotOpenText not_open_text(const core::Refusal& refusal, Patience patience,
                                    std::optional<core::Duration> opens_in) const = 0;
  // The same failures, with what a closer look at these nodes tells. Takes a moment.
  virtual std::vector<core::NodeFailure> diagnosed(std::vector<core::NodeFailure> failures) const = 0;

  // What each node shows for that key, asked within the timeout. Both throw std::system_error where there is no thread.
  virtual Answers<core::KeyState> look(const std::string& key, core::Duration timeout) const = 0;
  // How long a round trip to each node takes.
  virtual Answers<core::Duration> ping(core::Duration timeout) const = 0;

 protected:
  Store(std::vector<std::string> names, core::Terms terms)
      : names_(std::move(names)), terms_(std::move(terms)) {}

 private:
  std::vector<std::string> names_;
  core::Terms terms_;
};

}  // namespace tenure::runtime
