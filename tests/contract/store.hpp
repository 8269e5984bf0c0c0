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
  // Where a fleet's sessions and results are; none where the store keeps only leases.
  virtual std::unique_ptr<FleetData> data() { return nullptr; }

  static core::Terms terms() { return {core::Ttl(60'000), "1"}; }
};

// What stores can differ in. Tests of what a store cannot are skipped, and docs/stores.md tells users what it cannot.
struct Abilities {
  bool queues =
      true;  // who waits has a place, is called when it is its turn, and then has the name kept for it
  bool forgets =
      true;  // it can lose its data, and has a record by which it notices: epoch, quarantine, terms
  bool keeps_fleets = true;  // a fleet's instances can meet there
  bool names_fleets = true;  // a fleet can have its sessions there, at least
  // It can be one of several nodes of a client.
  bool proposes = true;  // mints the token that a client proposes
  bool confirms = true;  // takes the token that a majority gave
  bool heals = true;     // takes back a grant that it does not know
  // A lease that stands can be given another length.
  bool changes_ttl = true;
  // Answers what is asked of one name in its order, and of several names as well.
  bool in_order = true;
  // No two names are ever given the same token, also where they are asked for at the same time.
  bool counts_names_together = true;
  // Tests ask for no shorter leases.
  core::Ttl shortest{100};
  // Such a lease ends by then, and only for who wants its name: nothing shows its end to who looks. Zero: when its time is over.
  core::Ttl ends_within{};
};

struct StoreKind {
  const char* name;
  std::unique_ptr<Store> (*make)();
  Abilities can{};
};
// A new store is a line here.
std::vector<StoreKind> all_stores();

}  // namespace tenure::test
