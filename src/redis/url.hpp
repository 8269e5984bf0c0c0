// Where a Redis is and who we are to it, read from a URL and shown without its secrets.
// Only reads: whether the host exists, or TLS is supported, is for others to say.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace tenure::redis {

struct Address {
  enum class Kind : std::uint8_t { tcp, unix_socket };

  Kind kind = Kind::tcp;
  std::string host{};  // an IPv6 address stands here without its brackets
  std::uint16_t port = 6379;
  std::string path{};  // of a Unix socket
  std::string user{};
  std::string password{};
  int database = 0;
  bool tls = false;

  bool operator==(const Address&) const = default;
};

// redis://[user[:password]@]host[:port][/database], rediss:// likewise, and
// unix://[user:password@]/path[?db=N]; user, password and path may be percent-encoded.
// The error says which part is wrong; nothing that could be a password is ever part of it.
tl::expected<Address, std::string> parse_url(std::string_view url);

// The address with *** for the password, always written the same way.
std::string to_text(const Address& address);
// With its secrets, for parse_url and for nobody's eyes.
std::string whole_url(const Address& address);
// A text that is to be shown, with *** for what stands between "://" and "@".
std::string without_secrets(std::string_view text);

}  // namespace tenure::redis
