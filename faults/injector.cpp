#include "faults/injector.hpp"

#include "faults/schedule.hpp"
#include "runtime/boot_clock.hpp"

namespace tenure::faults {

namespace {

constexpr std::chrono::milliseconds lately{50};  // who owns something writes all the time

}  // namespace

Injector::Injector(World& world, Journal& journal)
    : world_(world), journal_(journal), silent_(world.crowd().servers()) {}

void Injector::begin(const Fault& fault) {
  const auto aim = aimed(fault);
  const bool done = aim && (is_of_node(fault.kind) ? begin_on_node(*aim) : begin_on_client(*aim));
  journal_.note((done ? "begin  " : "nobody ") + to_text(aim.value_or(fault), world_.crowd()));
  if (!done) return;
  under_way_.emplace(fault.id, *aim);
  counts_.at(static_cast<std::size_t>(fault.kind)) += 1;
}

void Injector::end(const Fault& fault) {
  const auto found = under_way_.find(fault.id);
  if (found == under_way_.end()) return;
  const Fault aim = found->second;
  under_way_.erase(found);
  if (is_of_node(aim.kind)) {
    end_on_node(aim);
  } else {
    end_on_client(aim);
  }
  if (aim.length > core::Duration{}) journal_.note("end    " + to_text(aim, world_.crowd()));
}

std::optional<Fault> Injector::aimed(Fault fault) const {
  if (is_of_node(fault.kind)) return fault;
  const Crowd& crowd = world_.crowd();
  if (fault.whom >= crowd.clients()) {
    const auto writers = world_.writes().writers(crowd.wants(fault.whom), runtime::boot_now() - lately);
    if (writers.empty()) return std::nullopt;
    const std::string who = writers.begin()->substr(0, writers.begin()->find('.'));
    while (fault.whom > 0 && crowd.name(fault.whom) != who) fault.whom -= 1;
  }
  for (const auto& [id, other] : under_way_) {
    if (!is_of_node(other.kind) && other.whom == fault.whom) return std::nullopt;
  }
  return fault;
}

}  // namespace tenure::faults
