// The record of a node: which life of the server its leases belong to, and whether it gives new ones.
// Written "<state> <cap in ms> <epoch> <life> <made at, unix ms>", so that one comparison with its
// beginning tells a script whether its caller is admitted.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/message.hpp"

namespace tenure::core {

struct Record {
  std::string state;
  Ttl cap{};
};

std::optional<Record> read_record(std::string_view text);

// What the record must begin with for a client with this cap.
std::string admission(Ttl cap);

}  // namespace tenure::core
