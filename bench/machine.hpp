// On what was measured: the machine, and the versions of what ran.
#pragma once

#include <string>
#include <vector>

namespace tenure::bench {

struct Fact {
  std::string name;
  std::string value;
};

std::vector<Fact> machine();

}  // namespace tenure::bench
