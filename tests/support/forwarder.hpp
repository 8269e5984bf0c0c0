// One client's way to one server, which stops passing bytes on when a test asks for it: a network that fails, or an address behind
// which another server stands from now on.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "redis/url.hpp"
#include "support/proxy.hpp"

namespace tenure::test {

class Forwarder {
 public:
  using Listens = ProxyOptions::Listens;

  // The path of a socket, or the number of a port.
  explicit Forwarder(std::string target, Listens listens = Listens::unix_socket)
      : proxy_({std::move(target)}, {.listens = listens, .records = true}) {}

  redis::Address address() const { return proxy_.address({}); }
  std::uint16_t port() const { return address().port; }  // of one that listens there

  // Every connection breaks; who connects again gets there.
  void point_at(std::string target) { proxy_.point_at(0, std::move(target)); }
  // Connections stay, but nothing comes through until mend(), or nothing of what clients send, or of what they
  // are answered. What is held comes late, also when its client has gone meanwhile.
  void hold() { set({.requests_held = true, .answers_held = true}); }
  void hold_requests() { set({.requests_held = true}); }
  void hold_replies() { set({.answers_held = true}); }
  // Every connection breaks, and what was held is gone; new ones break, too, until mend().
  void cut() { set({.cut = true}); }
  void mend() { set({}); }
  // From now on every byte goes on its own.
  void split() {
    single_bytes_ = true;
    mend();
  }
  // All that clients have sent through so far, connection by connection: to be said again by who wants to.
  std::vector<std::string> recorded() { return proxy_.recorded({}); }

 private:
  void set(Weather weather) {
    weather.single_bytes = single_bytes_;
    proxy_.set({}, weather);
  }

  bool single_bytes_ = false;
  Proxy proxy_;
};

}  // namespace tenure::test
