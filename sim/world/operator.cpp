#include "sim/world/operator.hpp"

#include <string>
#include <utility>

#include "redis/record_text.hpp"

namespace tenure::sim {

Setup Operator::draw() {
  const Plan& plan = shared_.plan;
  Setup setup{.nodes = plan.nodes, .timing = plan.timing};
  // As few as can be or as many: then majorities before and after share no node.
  if (plan.nodes > 2 && random_.below(2) == 0)
    setup.nodes = random_.below(2) == 0 ? 2 : 2 + random_.below(plan.nodes - 1);
  setup.keyspace.cap = random_.below(2) == 0 ? plan.cap : plan.cap_max;
  if (setup.keyspace.cap == plan.cap_max && random_.below(4) != 0) {
    setup.timing = core::make_timing({.ttl = Duration(plan.cap_max)}).value();
  }
  // The same nodes may be known by another name.
  setup.keyspace.set = std::to_string(setup.nodes) + (random_.below(2) == 0 ? "-a" : "-b");
  return setup;
}

void Operator::begin() {
  const Setup target = random_.below(3) == 0 ? shared_.setups.back() : draw();
  shared_.setups.push_back(target);
  for (std::size_t node = 0; node < shared_.plan.nodes; ++node) shared_.network.excuse_losses(node);
  const std::size_t others = shared_.plan.nodes - target.nodes;
  if (const Running running = plan(target, random_.below(2) == 0 ? others : random_.below(others + 1))) {
    go_on(running);
  }
}

void Operator::finish() {
  const std::size_t all = shared_.plan.nodes;
  Setup target{.nodes = all, .timing = shared_.plan.timing};
  target.keyspace.cap = shared_.plan.cap;
  target.keyspace.set = std::to_string(all) + "-at-last";
  shared_.setups = {target};
  // All nodes of this world are in it, so that no other set goes on beside it.
  std::vector<std::string> others;
  for (std::size_t nodes = 1; nodes <= all; ++nodes) {
    for (const std::string_view name : {"", "-a", "-b"}) others.push_back(std::to_string(nodes).append(name));
  }
  const Running running = plan(target, 0, others);
  for (auto steps = running->steps(); !steps.empty(); steps = running->steps()) {
    for (const auto& step : steps) core::must(take(step, *running), "nobody is in between");
  }
}

Operator::Running Operator::plan(const Setup& target, std::size_t leaving,
                                 const std::vector<std::string>& abandoned) const {
  std::vector<core::FoundRecord> records;
  for (std::size_t node = 0; node < target.nodes + leaving; ++node) {
    records.push_back(redis::found_record(nodes_[node]->record(shared_.schedule.now())));
  }
  auto planned = core::Reconfiguration::plan(target.keyspace.terms(), std::move(records), abandoned);
  return planned ? std::make_shared<core::Reconfiguration>(std::move(*planned)) : nullptr;
}

void Operator::go_on(const Running& running) {
  const auto steps = running->steps();
  if (steps.empty() || random_.below(8) == 0) return;  // done; or it dies here
  const auto& step = steps[random_.below(steps.size())];
  shared_.network.send_elsewhere([this, running, step] {
    if (take(step, *running)) go_on(running);
  });
}

bool Operator::take(const core::Reconfiguration::Step& step, core::Reconfiguration& running) {
  Node& node = *nodes_[step.node];
  const TrueTime now = shared_.schedule.now();
  const auto call = redis::reconfigure_call({random_.hex16(), node.clock(now).ms()}, step, {});
  const redis::Value answer = node.run(call, now);
  const bool made = answer.items.at(0).text == "made";
  shared_.trace.event(now, "reconfigure", step.node, made ? 1 : 0, [&] { return answer.items.at(1).text; });
  if (made) running.taken(step.node, redis::found_record(answer.items.at(1).text));
  return made;
}

}  // namespace tenure::sim
