#include "runtime/engine/calls.hpp"

#include "core/base/check.hpp"

namespace tenure::runtime {

namespace {

// A completion may ask for more, and is out of the table by then.
template <class Table>
typename Table::mapped_type taken(Table& table, typename Table::key_type id) {
  auto call = table.extract(id);
  core::must(!call.empty(), "what ends is a call that waits");
  return std::move(call.mapped());
}

}  // namespace

void Calls::end(core::AcquireId id, Acquisition end) { taken(acquires_, id).done(std::move(end)); }

void Calls::end(const core::Released& released) {
  while (releases_.contains(released.lease)) taken(releases_, released.lease)(released);
}

bool Calls::end(core::LeaseId id, Extension end) {
  if (!extends(id)) return false;
  taken(extensions_, id)(std::move(end));
  return true;
}

std::vector<core::AcquireId> Calls::acquires() const {
  std::vector<core::AcquireId> ids;
  ids.reserve(acquires_.size());
  for (const auto& [id, call] : acquires_) ids.push_back(id);
  return ids;
}

}  // namespace tenure::runtime
