// One node of a store: where connections to it come from. Who writes a store implements this, Store, Connection and
// Subscription; tests/contract says what it must do.
#pragma once

#include <memory>
#include <string>

#include "runtime/store/connection.hpp"
#include "runtime/store/subscription.hpp"

namespace tenure::runtime {

// Of one client; guarded by its engine. Lives longer than what it made.
class Node {
 public:
  virtual ~Node() = default;
  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // For people; without secrets.
  virtual std::string name() const = 0;
  // What it shows for a lease while that stands, to whoever looks at it without Tenure.
  virtual std::string shown(const core::Grant& grant, core::Token token) const = 0;
  // What it can take in one request.
  virtual core::BatchMax batch_max() const { return {}; }
  // Null: it has one part. All nodes of a client have the same parts.
  virtual core::PartOf part_of() const { return nullptr; }
  // Its news call the node by that index. Dials when it is first asked something. What is asked over it has at least that patience.
  virtual std::unique_ptr<Connection> connect(core::NodeIndex node, core::Duration patience) = 0;
  // What wakes the waiters of that owner.
  virtual std::unique_ptr<Subscription> wake_ups(const std::string& owner) = 0;
  // What changes in the fleet whose keys begin so.
  virtual std::unique_ptr<Subscription> changes(const std::string& fleet) = 0;
};

}  // namespace tenure::runtime
