// Connects to an address without blocking: looks its name up, then tries each address that it has.
#pragma once

#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "core/message.hpp"
#include "redis/url.hpp"
#include "runtime/descriptor.hpp"
#include "runtime/lookup.hpp"

namespace tenure::runtime {

class Dial {
 public:
  // The look-up outlives the dial: whoever dials again goes on with it. Of several addresses the first to
  // be tried is number `first`, so that one which swallows everything does not hide the next.
  Dial(const redis::Address& address, Lookup& lookup, std::size_t first);

  // Connected, not yet, or why not. To be called when fd() is ready for events().
  tl::expected<std::optional<Descriptor>, core::Failure> step();

  int fd() const;
  short events() const;

 private:
  void set_targets(std::vector<SocketAddress> targets);
  // Begins to connect to the next target, if there is one left.
  void next_target();

  const redis::Address& address_;
  Lookup& lookup_;
  bool looking_up_ = false;
  std::size_t first_;
  std::vector<SocketAddress> targets_;
  std::size_t tried_ = 0;
  Descriptor socket_;
  int error_ = 0;
};

}  // namespace tenure::runtime
