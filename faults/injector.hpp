// Does to a world what a schedule says.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "faults/evidence.hpp"
#include "faults/fault.hpp"
#include "faults/world.hpp"

namespace tenure::faults {

class Injector {
 public:
  Injector(World& world, Journal& journal);

  void begin(const Fault& fault);
  void end(const Fault& fault);

  // Clients that were stopped as a whole, and have gone on.
  const std::vector<Stop>& stops() const { return stops_; }
  // How many were injected; not those that found nothing to be done to.
  const std::array<std::size_t, kinds>& counts() const { return counts_; }

 private:
  // Whom it hits now, as no other does; nothing: there is nobody.
  std::optional<Fault> aimed(Fault fault) const;

  // False: there was nothing to do it to.
  bool begin_on_node(const Fault& fault);
  void end_on_node(const Fault& fault);
  bool begin_on_client(const Fault& fault);
  void end_on_client(const Fault& fault);

  void wipe(std::size_t node);
  bool remove_lease(const Fault& fault);
  // Of the ways of that client the ones that chance has chosen.
  std::vector<test::Proxy::Way> ways(const Fault& fault) const;
  void set(const Fault& fault, const test::Weather& weather);

  World& world_;
  Journal& journal_;
  std::map<std::size_t, Fault> under_way_;  // by id, and aimed
  std::vector<bool> silent_;                // nodes that cannot be asked
  std::vector<Stop> stops_;
  std::array<std::size_t, kinds> counts_{};
};

}  // namespace tenure::faults
