// Looks a host name up on a thread that nobody waits for: a name server that hangs must not hold up renewals.
// One look-up at a time; who asks again meanwhile gets the one that is under way.
#pragma once

#include <sys/socket.h>

#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "runtime/net/endpoint.hpp"

namespace tenure::runtime {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;
};

class Lookup {
 public:
  using Found = tl::expected<std::vector<SocketAddress>, std::string>;

  // Nothing while it goes on. A result is given once; the call after that asks anew.
  std::optional<Found> find(const Endpoint& endpoint);
  // Readable when the result is there; -1 when none is under way.
  int fd() const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;  // with the thread, which may outlive this
};

}  // namespace tenure::runtime
