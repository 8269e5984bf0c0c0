// The record of a server that is ended on purpose, with nothing lost. tenure redis down seals it as the last thing that
// is written before the server ends, and tenure redis up breaks the seal: the leases in between go on.
//
// A sealed record names a seal, which nobody else knows, in place of the life of the server. So it is of another life
// for every client, as that of any server that was started again: a quarantine follows unless the seal is broken. And a
// server that shows the very seal that was written last has everything that was written before it.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "redis/net/caller.hpp"
#include "redis/script_call.hpp"

namespace tenure::cli {

// So long nobody can write, by the clocks of the server.
inline constexpr std::chrono::seconds write_pause{60};

struct SealedRecord {
  std::string text;    // the whole record, with the seal
  std::string seal;    // in place of the life
  std::string before;  // the record as it was
};

// Nobody can write anything after this, for a minute or until the seal is broken. Nothing where it cannot be sealed: there
// is no record of this life, or the server has a master or replicas.
std::optional<SealedRecord> seal_record(redis::Caller& redis, const redis::Keyspace& keyspace);

// The server goes on after all. Where a client has come meanwhile it has begun a quarantine, and that stays.
void take_seal_back(redis::Caller& redis, const redis::Keyspace& keyspace, const SealedRecord& sealed);

// In the next life of the server. False, and nothing was changed, if the record is not exactly the one that was sealed.
bool break_seal(redis::Caller& redis, const redis::Keyspace& keyspace, const SealedRecord& sealed);

}  // namespace tenure::cli
