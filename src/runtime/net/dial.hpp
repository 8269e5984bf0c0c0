// Connects to an address without blocking: looks its name up, tries each address that it has, and shakes hands
// where it wants TLS.
#pragma once

#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "core/message.hpp"
#include "runtime/net/descriptor.hpp"
#include "runtime/net/endpoint.hpp"
#include "runtime/net/lookup.hpp"
#include "runtime/net/stream.hpp"
#include "runtime/net/tls.hpp"

namespace tenure::runtime {

class Dial {
 public:
  // The look-up outlives the dial: whoever dials again goes on with it. Of several addresses the first to
  // be tried is number `first`, so that one which swallows everything does not hide the next.
  Dial(Endpoint endpoint, const Tls& tls, Lookup& lookup, std::size_t first);

  // Connected, not yet, or why not. To be called when fd() is ready for events().
  tl::expected<std::optional<Stream>, core::Failure> step();

  int fd() const;
  short events() const;
  // Connected, and TLS has begun.
  bool shaking_hands() const { return session_.has_value(); }

 private:
  void set_targets(std::vector<SocketAddress> targets);
  // Begins to connect to the next target, if there is one left.
  void next_target();
  // Is there a connection? Goes on to the next target where there is none to be had.
  bool connected();

  Endpoint endpoint_;
  const Tls& tls_;
  Lookup& lookup_;
  bool looking_up_ = false;
  std::size_t first_;
  std::vector<SocketAddress> targets_;
  std::size_t tried_ = 0;
  Descriptor socket_;
  std::optional<TlsSession> session_;
  int error_ = 0;
};

}  // namespace tenure::runtime
