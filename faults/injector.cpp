#include "faults/injector.hpp"

#include "faults/schedule.hpp"

namespace tenure::faults {

Injector::Injector(World& world, Journal& journal)
    : world_(world), journal_(journal), silent_(world.crowd().nodes + 1) {}

void Injector::begin(const Fault& fault) {
  const bool done = is_of_node(fault.kind) ? begin_on_node(fault) : begin_on_client(fault);
  journal_.note((done ? "begin  " : "nothing to do  ") + shown(fault, world_.crowd()));
  if (done) counts_.at(static_cast<std::size_t>(fault.kind)) += 1;
}

void Injector::end(const Fault& fault) {
  if (is_of_node(fault.kind)) {
    end_on_node(fault);
  } else {
    end_on_client(fault);
  }
  if (fault.length > core::Duration{}) journal_.note("end    " + shown(fault, world_.crowd()));
}

}  // namespace tenure::faults
