// A store in the memory of this process: one node, shared by as many clients as a test has. It does what tests/contract asks
// of a store and nothing else, and a test can take it away, or let it hang.
#pragma once

#include <memory>

#include "core/lease/record.hpp"
#include "runtime/store/node.hpp"
#include "runtime/store/store.hpp"

namespace tenure::test {

class MemoryStore {
 public:
  // New, and open to clients of these terms.
  explicit MemoryStore(core::Terms terms);
  ~MemoryStore();

  // For one client, of its terms or of others.
  std::shared_ptr<runtime::Node> node();
  std::shared_ptr<runtime::Node> node(const core::Terms& terms);
  // As the API knows it. Keys begin with "lock/" and "fleet/", and what begins with "own/" is the store's own.
  std::shared_ptr<const runtime::Store> open() const;

  // Is started anew, with no data: every connection breaks.
  void lose_everything();
  // Every connection breaks, and what was answered on it is lost.
  void break_connections();
  // Hears what it is asked, and says nothing until it is let go on.
  void hang();
  void go_on();
  // Is not there any more, for whoever looks at it from outside the engine.
  void go_away();

  struct Server;

 private:
  std::shared_ptr<Server> server_;
};

}  // namespace tenure::test
