// The stores that the contract is stated for.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/lease/record.hpp"
#include "poll/result_store.hpp"
#include "runtime/store/node.hpp"
#include "runtime/store/store.hpp"
#include "support/asking.hpp"
#include "tenure/session.hpp"

namespace tenure::test {

// What a fleet keeps in a node beside leases: sessions as tenure sessions writes and polls read them, and results.
class FleetData {
 public:
  virtual ~FleetData() = default;
  // Over that text, or where there is none. False: another text is there.
  virtual bool put(const std::string& id, const std::string& text,
                   const std::optional<std::string>& before) = 0;
  // False: there was none.
  virtual bool remove(const std::string& id) = 0;
  virtual std::unique_ptr<SessionSource> sessions() = 0;
  enum class Leases : std::uint8_t { here, elsewhere };
  virtual std::unique_ptr<poll::ResultStore> results(Leases leases) = 0;
};

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
  // Can a fleet's instances meet there?
  virtual bool keeps_fleets() const { return true; }
  // Where a fleet's sessions and results are; none where the store keeps only leases.
  virtual std::unique_ptr<FleetData> data() { return nullptr; }

  static core::Terms terms() { return {core::Ttl(60'000), "1"}; }
};

struct StoreKind {
  const char* name;
  std::unique_ptr<Store> (*make)();
};
// A new store is a line here.
std::vector<StoreKind> all_stores();

}  // namespace tenure::test
