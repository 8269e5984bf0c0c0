// Would the nodes give this process a lease now: does a majority answer, and is it neither in quarantine nor of another set or cap?
#pragma once

#include <string>
#include <vector>

#include "cli/doctor/closed_node.hpp"

namespace tenure::cli {

struct Readiness {
  std::size_t ready = 0;  // nodes that would
  std::size_t needed = 0;
  struct Closed {
    std::string node;  // its address, without secrets
    std::string why;
  };
  std::size_t nodes = 0;
  std::vector<Closed> closed{};  // those that would not

  bool is_ready() const { return ready >= needed; }
  // One line, and one for each node that is closed.
  std::string text() const;
};

// By what nodes of these names answered.
Readiness readiness_of(const NodesClosed& nodes, const std::vector<std::string>& names);

}  // namespace tenure::cli
