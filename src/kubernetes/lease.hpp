// A Lease object of coordination.k8s.io/v1 as Tenure reads and writes it. Who holds it, and until when, is written as client-go's
// leader election writes it; what only Tenure has is in annotations, which client-go leaves alone.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "core/base/time.hpp"
#include "core/lease/grant.hpp"
#include "kubernetes/micro_time.hpp"

namespace tenure::kubernetes {

// One that the API server has shown.
struct Lease {
  std::string version{};  // metadata.resourceVersion: another one for every change
  std::string uid{};      // another one for every object, of whatever name
  std::string holder{};   // spec.holderIdentity; empty: free
  std::chrono::seconds length{};
  std::optional<Micros> acquired{};
  std::optional<Micros> renewed{};
  std::int64_t transitions = 0;
  core::Token token = 0;               // the largest that was ever given for it; 0: none by Tenure
  std::optional<core::Grant> grant{};  // of the holder, where it is Tenure and nobody else has written since
  std::string json{};                  // all of it, with what others keep there

  bool free() const { return holder.empty(); }
};

struct LeaseList {
  std::string version{};  // of all data of the API server: what was read is at least as new
  std::optional<Lease> first{};
};

// The errors are sentences.
tl::expected<Lease, std::string> read_lease(std::string_view json);
tl::expected<LeaseList, std::string> read_list(std::string_view json);

// What a Lease is to show from now on.
struct Shown {
  core::Grant grant{};
  core::Token token = 0;
  core::Duration ttl{};
  Micros now{};  // by the wall clock of this machine
};

// In whole seconds, rounded up: for others, who wait for so long.
std::chrono::seconds length_of(core::Duration ttl);

// For a new object of that name. All of these are bodies of requests.
std::string new_lease(const std::string& object, const Shown& shown);
// Taken by somebody who did not have it, and held on to by who has it. Both keep what others have written into the object, and say which
// version they are changes of.
std::string taken_lease(const Lease& before, const Shown& shown);
std::string renewed_lease(const Lease& before, const Shown& shown);
std::string released_lease(const Lease& before, Micros now);

}  // namespace tenure::kubernetes
