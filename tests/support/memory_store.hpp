// A store in the memory of this process: one node, shared by as many clients as a test has. It does what tests/contract asks
// of a store and nothing else, and a test can take it away.
#pragma once

#include <memory>

#include "core/lease/record.hpp"
#include "runtime/store/node.hpp"

namespace tenure::test {

class MemoryStore {
 public:
  // New, and open to clients of these terms.
  explicit MemoryStore(core::Terms terms);
  ~MemoryStore();

  // For one client, of its terms or of others.
  std::shared_ptr<runtime::Node> node();
  std::shared_ptr<runtime::Node> node(const core::Terms& terms);

  // Is started anew, with no data: every connection breaks.
  void lose_everything();
  // Hears what it is asked, and says nothing until it is let go on.
  void hang();
  void go_on();

  struct Server;

 private:
  std::shared_ptr<Server> server_;
};

}  // namespace tenure::test
