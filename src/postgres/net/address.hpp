// Where a PostgreSQL is and who we are to it: a URL as libpq reads it, shown without its secrets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace tenure::postgres {

struct Address {
  std::string url{};    // with its secrets, for libpq and for nobody's eyes
  std::string name{};   // for people
  std::string place{};  // which database it is, by whomever it is used
  std::vector<std::string> secrets{};
  // That somebody has to be asked where they are; none where the URL names folders of sockets, or says the addresses itself.
  struct Host {
    std::string name;
    std::uint16_t port = 0;
  };
  std::vector<Host> hosts{};
};

// postgresql://[user[:password]@][host][:port][,…][/database][?name=value[&…]]. The error says what is wrong; nothing that could
// be a password is ever part of it.
tl::expected<Address, std::string> parse_url(std::string_view url);

// How it is reached, as the URL says and what libpq takes from the environment.
struct Transport {
  bool network = false;   // another machine may be it
  bool verified = false;  // by TLS, and it must prove its name (sslmode=verify-full)
};
Transport transport_of(const Address& address);

// The text with stars in place of the address's secrets.
std::string without_secrets(std::string text, const Address& address);

}  // namespace tenure::postgres
