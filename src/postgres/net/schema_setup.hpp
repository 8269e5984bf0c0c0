// The schema that leases are kept in: is it there, and how it is made.
#pragma once

#include <cstdint>
#include <tl/expected.hpp>

#include "core/base/time.hpp"
#include "core/message.hpp"
#include "postgres/net/address.hpp"
#include "postgres/net/caller.hpp"

namespace tenure::postgres {

struct FoundSchema {
  enum class Kind : std::uint8_t {
    absent,
    foreign,  // something of that name that Tenure did not make
    made,
  };
  Kind kind = Kind::absent;
  int version = 0;  // of one that Tenure made

  // As this program needs it.
  bool ours() const;
  // Of a version that can be made into that one.
  bool upgradable() const;
  bool operator==(const FoundSchema&) const = default;
};

// Also for a user who may not use it, unless its version is to be told.
tl::expected<FoundSchema, core::Failure> find_schema(Caller& server);

// Makes all of it or nothing, over a connection of its own: of nothing, or of one that is upgradable. Returns false when somebody else
// has done so meanwhile.
tl::expected<bool, core::Failure> make_schema(const Address& address, const FoundSchema& found,
                                              core::Duration timeout);

}  // namespace tenure::postgres
