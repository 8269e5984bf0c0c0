// Where the endpoint listens: one IP address of this machine and a port, as --http names them.
// Host names other than localhost are not looked up: a name that resolves to several addresses would leave open which is meant.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace tenure::http {

struct ListenAddress {
  std::string ip = "127.0.0.1";  // as inet_ntop writes it, without brackets
  std::uint16_t port = 0;        // 0: one that is free

  bool v6() const { return ip.find(':') != std::string::npos; }
  // Can nobody but this machine reach it?
  bool is_loopback() const;
  // All addresses of this machine: 0.0.0.0 or ::.
  bool is_unspecified() const;
  // "127.0.0.1:9090", "[::1]:9090".
  std::string text() const;

  bool operator==(const ListenAddress&) const = default;
};

// "127.0.0.1:9090", "[::1]:9090", "localhost:9090", "*:9090" for all addresses; ":9090" and "9090" are on 127.0.0.1.
// The error is a sentence that begins with what was given.
tl::expected<ListenAddress, std::string> parse_listen_address(std::string_view text);

// The address as inet_ntop writes it; empty where it is none.
std::string canonical_ip(std::string_view text);
bool is_loopback_ip(std::string_view canonical);

}  // namespace tenure::http
