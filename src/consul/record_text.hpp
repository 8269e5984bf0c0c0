// The record of a Consul as its key keeps it, and what admission makes of what it finds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "consul/entry.hpp"
#include "core/lease/grant.hpp"
#include "core/lease/record.hpp"

namespace tenure::consul {

struct StoredRecord {
  core::Record record{};
  core::Token base =
      0;  // what tokens are counted from while it is open: the time of its opening in microseconds
};

std::string record_text(const StoredRecord& stored);
// Returns nullopt for what Tenure did not write.
std::optional<StoredRecord> read_record(std::string_view text);

// What a client brings to its admission.
struct Introduction {
  core::Terms terms{};
  std::string epoch{};         // that nobody used before
  std::int64_t wall_ms = 0;    // by its own clock
  std::int64_t server_ms = 0;  // as the server said with its answer
  core::Token seen = 0;        // the largest token that it knows of here
  bool went_back = false;      // it has found that the data is older than what it has seen
};

// The record that is to be written in the place of what was found; nullopt where that stays. Nothing was found: null. The fence is
// what was given last.
std::optional<StoredRecord> admit(const Entry* found, const Entry* fence, const Introduction& who);
// Is the data older than what a client has seen of it? What the fence shows of a record that is open.
bool is_behind(const StoredRecord& stored, const Entry* fence, core::Token seen);
// The same record, open from now on.
StoredRecord opened(StoredRecord stored, const Entry* fence, const Introduction& who);

// The record of a Consul that is new, by somebody's word: open at once. Nullopt where one stays that tells of more than that there
// was none.
std::optional<StoredRecord> founded(const Entry* found, const Entry* fence, const Introduction& who);

// Beside the fence stands the largest token that was put back in this epoch, and a word that makes each value another one: what does
// not change has no new number.
std::string fence_text(core::Token put_back, std::string_view word);
core::Token put_back_in(const Entry* fence);

}  // namespace tenure::consul
