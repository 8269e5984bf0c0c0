// Starts the program of lease_process/main.cpp: a process that wants one lease.
#pragma once

#include <string>
#include <vector>

#include "support/nodes.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"

namespace tenure::test {

struct LeaseProcessWish {
  std::string key;
  core::Ttl ttl{};
  bool wait = false;
};

inline std::vector<std::string> lease_process(Nodes& nodes, const LeaseProcessWish& wish) {
  std::vector<std::string> argv{paths::lease_process, nodes[0].url(), wish.key,
                                std::to_string(wish.ttl.count()), std::to_string(nodes.cap().count())};
  if (wish.wait) argv.emplace_back("wait");
  return argv;
}

}  // namespace tenure::test
