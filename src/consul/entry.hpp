// A key as Consul shows it.
#pragma once

#include <cstdint>
#include <string>

namespace tenure::consul {

// The number of a change: that of its entry in the log of the servers. Later changes have larger ones, whatever they change.
using Index = std::uint64_t;

struct Entry {
  std::string key{};
  std::string value{};
  std::uint64_t flags = 0;
  std::string session{};  // that has locked it; empty: none
  Index modified = 0;     // by which change it became what it is
};

}  // namespace tenure::consul
