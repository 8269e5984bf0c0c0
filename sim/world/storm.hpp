// The faults of a world: one after the other, drawn by chance, until it is told to end.
// Delays, losses and clocks that run apart go on all the time; the network and the plan see to those.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/random.hpp"
#include "sim/redis/node.hpp"
#include "sim/world/faults.hpp"
#include "sim/world/network.hpp"
#include "sim/world/operator.hpp"
#include "sim/world/process.hpp"

namespace tenure::sim {

class Storm {
 public:
  // All of these outlive it. The chance is that of the world: a seed is one sequence of draws.
  Storm(Surroundings& surroundings, std::vector<std::unique_ptr<Node>>& nodes,
        std::vector<std::unique_ptr<Process>>& processes, core::Random& random)
      : shared_(surroundings),
        nodes_(nodes),
        processes_(processes),
        random_(random),
        operator_(surroundings, nodes, random) {}

  void begin();
  // From now on no fault comes, and no message is late, lost or doubled; and all have the same set of nodes.
  void end();

  // How often each was injected.
  const FaultCounts& faults() const { return faults_; }
  // A clock that was set may keep a dead lease alive for hours.
  bool set_a_clock() const { return set_a_clock_; }

 private:
  void plan_next();
  Fault draw();
  void inject(Fault fault);
  std::vector<Node*> nodes_at(std::size_t server) const;
  void remove(std::size_t server, const std::string& key);
  void step_clock(std::size_t server, Duration by);
  bool begin_move();
  void go_on_moving(std::size_t node);
  void restart(std::size_t node, Memory memory, Duration down);
  void fail_over(std::size_t node, Deposed deposed, Duration old_master_for);
  bool past_all_tokens(std::size_t node) const;
  std::string some_name();
  Duration up_to(Duration longest) { return random_.between(Duration::zero(), longest); }

  Surroundings& shared_;
  std::vector<std::unique_ptr<Node>>& nodes_;
  std::vector<std::unique_ptr<Process>>& processes_;
  core::Random& random_;
  Operator operator_;
  FaultCounts faults_{};
  bool blows_ = true;
  bool set_a_clock_ = false;
};

}  // namespace tenure::sim
