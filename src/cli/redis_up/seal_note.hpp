// What tenure redis down leaves for tenure redis up about a server that has ended with its record sealed: the record, and
// what the data looked like then. It lies beside the directory of the server, not in it.
//
// It is good for one start, while this machine runs. Copies of the data, or of both, are told apart by what the file
// system notes of every file when it is made or moved, and nobody can set.
#pragma once

#include <filesystem>
#include <optional>

#include "cli/redis_up/sealed_record.hpp"

namespace tenure::cli {

// False: nothing is left. The directory is that of the server, which has ended.
bool leave_note(const std::filesystem::path& note, const std::filesystem::path& directory,
                const SealedRecord& sealed);

// Gone for good before this returns. Nothing where there is none, where the data has been touched since, or where the
// wall clock has been set: keys would have run out early.
std::optional<SealedRecord> take_note(const std::filesystem::path& note,
                                      const std::filesystem::path& directory);

}  // namespace tenure::cli
