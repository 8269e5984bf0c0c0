// Where a server listens, and whether in TLS.
#pragma once

#include <cstdint>
#include <string>

namespace tenure::runtime {

struct Endpoint {
  std::string host{};  // an IPv6 address stands here without its brackets
  std::uint16_t port = 0;
  std::string path{};  // of a Unix socket; with one there is no host
  bool tls = false;
};

}  // namespace tenure::runtime
