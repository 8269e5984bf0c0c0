// The addresses of a Consul: consul://host[:port][/prefix][?lock-delay=5s], consuls:// for TLS. They hold no secret: a token in an
// address is refused, because whoever lists the processes of a machine sees it.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "consul/scheme.hpp"

namespace tenure::consul {

struct Address {
  bool tls = false;
  std::string place;              // host:port, as the agent is called
  std::string prefix = "tenure";  // what all keys begin with, without a slash at its end
  // For how long Consul gives a key to nobody after a session ended that had it; empty: for as long as the lease was to last.
  std::string lock_delay{};

  // For people.
  std::string name() const { return (tls ? "consuls://" : "consul://") + place + "/" + prefix; }
  // What requests begin with.
  std::string base() const { return (tls ? "https://" : "http://") + place; }
};

// The error is a sentence without secrets.
tl::expected<Address, std::string> parse_url(std::string_view url);

}  // namespace tenure::consul
