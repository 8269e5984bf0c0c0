// The keys of Tenure in Consul's key/value store. The key of a lock is the one that `consul lock PREFIX/NAME` takes, so that both
// exclude each other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace tenure::consul {

// What keys of locks are marked with in Consul's own libraries: whoever finds another mark leaves the key alone.
inline constexpr std::uint64_t lock_flags = 0x2ddccbc058a50c18;
// What ClientOptions::lock_prefix is where nobody sets it. Nothing else is in that folder, so that no key needs it.
inline constexpr std::string_view usual_lock_prefix = "redlock:";

struct Keys {
  std::string root = "tenure";  // without a slash at its end

  std::string record() const { return root + "/.tenure/record"; }
  // Beside the record there is a key for its epoch: numbers of changes begin again where data was lost, and this name does not.
  std::string epochs() const { return root + "/.tenure/epoch/"; }
  std::string epoch(std::string_view epoch) const { return epochs() + std::string(epoch); }
  // Written with every grant, so that a client notices when the data went back.
  std::string fence() const { return root + "/.tenure/fence"; }

  // The error is a sentence.
  tl::expected<std::string, std::string> lock(std::string_view prefix, std::string_view name) const;
  // Of a lock its prefix and name.
  std::string name_in(std::string_view key) const;
};

}  // namespace tenure::consul
