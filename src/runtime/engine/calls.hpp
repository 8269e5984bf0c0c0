// What users have asked for and not been told the end of. Each is a completion, called once, with the engine's mutex locked:
// it takes note, and returns. A call that blocks is a completion and a wait.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/notice.hpp"
#include "runtime/engine/leases.hpp"

namespace tenure::runtime {

// Why a lease was not renewed when its holder asked for it.
struct NotExtended {
  bool lost = false;  // it is held no more; else it is, until its deadline
  std::string why{};
};

// Guarded by the engine's mutex.
class Calls {
 public:
  using Acquisition = tl::expected<std::shared_ptr<LeaseState>, core::Refusal>;
  using Extension = tl::expected<core::Time, NotExtended>;
  struct Acquire {
    std::function<void(Acquisition)> done{};
    std::function<void(const core::Refusal&)> waits{};  // told again when the reason changes
    core::Time began{};
  };
  using Release = std::function<void(const core::Released&)>;
  using Extend = std::function<void(Extension)>;

  void add(core::AcquireId id, Acquire call) { acquires_.emplace(id, std::move(call)); }
  void add(core::LeaseId id, Release call) { releases_.emplace(id, std::move(call)); }
  void add_extension(core::LeaseId id, Extend call) { extensions_.emplace(id, std::move(call)); }
  bool extends(core::LeaseId id) const { return extensions_.contains(id); }

  core::Time began(core::AcquireId id) const { return acquires_.at(id).began; }
  void end(core::AcquireId id, Acquisition end);
  void tell(core::AcquireId id, const core::Refusal& why) const { acquires_.at(id).waits(why); }
  // There may be nobody who waits for it, or several.
  void end(const core::Released& released);
  // Whatever becomes of a lease: who waits for its extension goes on. False: nobody does.
  bool end(core::LeaseId id, Extension end);

  std::vector<core::AcquireId> acquires() const;
  std::size_t acquiring() const { return acquires_.size(); }

 private:
  std::unordered_map<core::AcquireId, Acquire> acquires_;
  std::unordered_multimap<core::LeaseId, Release> releases_;
  std::unordered_map<core::LeaseId, Extend> extensions_;
};

}  // namespace tenure::runtime
