#include "redis/cluster/request_slot.hpp"

#include <variant>

#include "core/base/check.hpp"
#include "core/base/overload.hpp"

namespace tenure::redis {

namespace {

Slot of_items(const std::vector<core::Holding>& items) {
  core::must(!items.empty(), "a batch names leases");
  return slot_of(items.front().key);
}

Slot of_none() {
  core::must(false, "heartbeats are not asked of a Cluster");
  return 0;
}

}  // namespace

Slot slot_of(const core::Request& request) {
  return std::visit(core::Overload{[](const core::AcquireRequest& it) { return slot_of(it.key); },
                                   [](const core::ConfirmRequest& it) { return slot_of(it.key); },
                                   [](const core::RenewRequest& it) { return of_items(it.items); },
                                   [](const core::ReassertRequest& it) { return of_items(it.items); },
                                   [](const core::ReleaseRequest& it) { return slot_of(it.key); },
                                   [](const core::OpenRequest& it) { return Slot{it.part}; },
                                   [](const core::ClockRequest& it) { return Slot{it.part}; },
                                   [](const core::LookRequest& it) {
                                     core::must(!it.keys.empty(), "a look names keys");
                                     return slot_of(it.keys.front());
                                   },
                                   [](const core::BeatRequest&) { return of_none(); },
                                   [](const core::ListsRequest&) { return of_none(); }},
                    request);
}

}  // namespace tenure::redis
