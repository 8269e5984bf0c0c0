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
  bool all_nodes = false;  // else it knows only the first one
};

inline std::vector<std::string> lease_process(Nodes& nodes, const LeaseProcessWish& wish) {
  std::string urls = nodes[0].url();
  for (std::size_t i = 1; wish.all_nodes && i < nodes.size(); ++i) urls += "," + nodes[i].url();
  std::vector<std::string> argv{paths::lease_process, urls, wish.key, std::to_string(wish.ttl.count()),
                                std::to_string(nodes.cap().count())};
  if (wish.wait) argv.emplace_back("wait");
  return argv;
}

}  // namespace tenure::test
