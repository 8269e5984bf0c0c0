// Somebody who changes the set of nodes or the cap, as `tenure reconfigure` does, step by step; and who may die between
// any two of them.
#pragma once

#include <memory>
#include <vector>

#include "core/base/random.hpp"
#include "core/lease/reconfiguration.hpp"
#include "sim/world/client.hpp"

namespace tenure::sim {

class Operator {
 public:
  Operator(Surroundings& surroundings, std::vector<std::unique_ptr<Node>>& nodes, core::Random& random)
      : shared_(surroundings), nodes_(nodes), random_(random) {}

  // To a set drawn by chance, or the one that was begun last. Whoever was at it before may go on with it, too.
  void begin();
  // To all nodes, with the cap of the beginning, at once. Whoever starts from now on knows.
  void finish();

 private:
  using Running = std::shared_ptr<core::Reconfiguration>;

  Setup draw();
  // Nothing where it cannot be.
  Running plan(const Setup& target, std::size_t leaving,
               const std::vector<std::string>& abandoned = {}) const;
  void go_on(const Running& running);
  // False: the record was another one by then.
  bool take(const core::Reconfiguration::Step& step, core::Reconfiguration& running);

  Surroundings& shared_;
  std::vector<std::unique_ptr<Node>>& nodes_;
  core::Random& random_;
};

}  // namespace tenure::sim
