// The stores that the contract is stated for.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/lease/record.hpp"
#include "runtime/store/node.hpp"
#include "runtime/store/store.hpp"
#include "support/asking.hpp"

namespace tenure::test {

// One node, new, and open to clients of terms().
class Store {
 public:
  virtual ~Store() = default;
  virtual std::shared_ptr<runtime::Node> node() = 0;
  // One for clients of other terms.
  virtual std::shared_ptr<runtime::Node> node_of(const core::Terms& terms) = 0;
  // As the API knows it.
  virtual std::shared_ptr<const runtime::Store> open() = 0;
  // A prefix and a name of a lock whose key the store needs for itself; nothing where it needs none.
  struct LockName {
    std::string prefix;
    std::string name;
  };
  virtual std::optional<LockName> own_name() = 0;
  // Is started anew, with no data.
  virtual void lose_everything() = 0;
  // Is there no more.
  virtual void go_away() = 0;

  static core::Terms terms() { return {core::Ttl(60'000), "1"}; }
};

struct StoreKind {
  const char* name;
  std::unique_ptr<Store> (*make)();
};
// A new store is a line here.
std::vector<StoreKind> all_stores();

}  // namespace tenure::test
