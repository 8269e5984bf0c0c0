// A long queue for one name, from one seed: who is told of a release, who lets its turn pass, who leaves.
#pragma once

#include <string>
#include <vector>

#include "core/base/random.hpp"
#include "postgres_twins.hpp"
#include "sequence.hpp"

namespace tenure::conformance {

class PostgresCrowd {
 public:
  PostgresCrowd(PostgresTwins& twins, std::uint64_t seed, Tally& tally);

  // Each of these gives what differed, or nothing.
  std::string begin();
  std::string step();

 private:
  std::string acquire(const core::Grant& ticket);
  std::string leave(const core::Grant& ticket);
  core::Grant any_ticket();
  core::Grant new_grant();

  PostgresTwins& twins_;
  core::Random random_;
  Tally& tally_;
  PostgresTwins::Client client_{.terms = {core::Ttl(60'000), "1"}};
  std::vector<core::Grant> tickets_;
};

}  // namespace tenure::conformance
