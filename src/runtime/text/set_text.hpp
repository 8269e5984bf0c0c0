// What to say of a node that belongs to another set of nodes than ours.
#pragma once

#include <string>

#include "core/lease/record.hpp"
#include "tenure/refusal.hpp"

namespace tenure::runtime {

struct SetText {
  NotOpen::Why why{};
  std::string what;  // "it belongs to a set of 3 nodes …", to be read behind the node
  std::string wish;  // "name the nodes of that set": what to do about it, without options of the program
};

SetText set_text(const core::Record& record, const core::Terms& ours);

}  // namespace tenure::runtime
