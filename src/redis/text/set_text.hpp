// What to say of a node that belongs to another set of nodes than ours.
#pragma once

#include <string>

#include "redis/script_call.hpp"

namespace tenure::redis {

struct SetText {
  std::string what;    // "it belongs to a set of 3 nodes …", to be read behind the node
  std::string advice;  // what to do, without a full stop
};

SetText set_text(const core::Record& record, const Keyspace& ours);

}  // namespace tenure::redis
