// A bound and listening socket. Made before anything else of a command starts, so that a port that is taken is told before a
// lock is asked for or a process is forked; served later, by a Server. It is closed in programs that are started.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "http/listen_address.hpp"
#include "runtime/net/descriptor.hpp"

namespace tenure::http {

struct ListenError {
  enum class Code : std::uint8_t {
    taken,          // somebody else listens there
    not_permitted,  // a port below 1024, as a rule
    no_address,     // not one of this machine's
    system,
  };
  Code code{};
  std::string message;  // a sentence that names the address
};

class Listener {
 public:
  static tl::expected<Listener, ListenError> open(const ListenAddress& address);

  // With the port that was chosen where 0 was asked for.
  const ListenAddress& address() const { return address_; }
  int fd() const { return socket_.get(); }

 private:
  Listener(runtime::Descriptor socket, ListenAddress address)
      : socket_(std::move(socket)), address_(std::move(address)) {}

  runtime::Descriptor socket_;
  ListenAddress address_;
};

}  // namespace tenure::http
