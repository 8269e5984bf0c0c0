// Why the record of a node allows no grants to us, in words for a person: the same of every store.
#pragma once

#include <optional>
#include <string>

#include "runtime/store/store.hpp"

namespace tenure::runtime {

// What only the kind of store knows.
struct RecordWords {
  std::string kind;       // "Redis"
  std::string record;     // where the record stands: "the key tenure:record"
  std::string went_back;  // stands in the place of one whose data went back
};

// See Store::not_open_text().
NotOpenText not_open_text(const core::Refusal& refusal, const Store& nodes, const RecordWords& words,
                          Patience patience, std::optional<core::Duration> opens_in);

}  // namespace tenure::runtime
