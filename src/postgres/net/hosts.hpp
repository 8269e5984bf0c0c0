// The hosts of an address, looked up without blocking: libpq would wait for the name server itself, and whoever is on that thread
// with it, renewals of other leases among them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "postgres/net/address.hpp"
#include "runtime/net/lookup.hpp"

namespace tenure::postgres {

class Hosts {
 public:
  // For libpq: lists of the same length, with commas. Empty where the address names no host: then libpq knows where to go.
  struct Found {
    std::string hosts{};
    std::string addresses{};
    std::string ports{};
  };

  // Both live longer than this.
  explicit Hosts(const Address& address) : address_(address) {}

  // Nothing while it goes on; to be called again when fd() is readable. A sentence where none of them was found.
  std::optional<tl::expected<Found, std::string>> find();
  int fd() const { return lookup_.fd(); }

 private:
  const Address& address_;
  runtime::Lookup lookup_;
  std::size_t next_ = 0;
  Found found_{};
  std::string error_{};
};

}  // namespace tenure::postgres
