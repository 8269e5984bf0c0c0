// Where a Redis is and who we are to it, read from a URL and shown without its secrets.
// Only reads: whether the host exists, or TLS is supported, is for others to say.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace tenure::redis {

struct HostPort {
  std::string host{};  // an IPv6 address stands here without its brackets
  std::uint16_t port = 0;

  bool operator==(const HostPort&) const = default;
};

// Sentinels that watch the same master and its replicas, and say which of them is the master now.
struct SentinelGroup {
  std::vector<HostPort> sentinels{};
  std::string master{};  // the name by which they know it
  std::string user{};    // who we are to the Sentinels; to the master we are who the address says
  std::string password{};

  bool operator==(const SentinelGroup&) const = default;
};

struct Address {
  enum class Kind : std::uint8_t { tcp, unix_socket, sentinel, cluster };

  Kind kind = Kind::tcp;
  std::string host{};  // an IPv6 address stands here without its brackets
  std::uint16_t port = 6379;
  std::string path{};  // of a Unix socket
  std::string user{};
  std::string password{};
  int database = 0;
  bool tls = false;
  SentinelGroup group{};          // in place of host, port and path
  std::vector<HostPort> seeds{};  // of a Cluster, instead: some of its nodes, which know the others

  bool operator==(const Address&) const = default;
};

// redis://[user[:password]@]host[:port][/database], rediss:// likewise, and
// unix://[user:password@]/path[?db=N]; user, password and path may be percent-encoded. And
// redis-sentinel://[user[:password]@]host[:port],…[/database][?sentinel_user=U&sentinel_password=P]#MASTER for the master
// that Sentinels know by that name; rediss-sentinel:// for TLS to them and to it. And
// redis-cluster://[user[:password]@]host[:port],… for a Redis Cluster that has these nodes, and perhaps others; rediss-cluster:// for
// TLS to all of them. The error says which part is wrong; nothing that could be a password is ever part of it.
tl::expected<Address, std::string> parse_url(std::string_view url);

// The address with *** for the password, always written the same way.
std::string to_text(const Address& address);
// With its secrets, for parse_url and for nobody's eyes.
std::string whole_url(const Address& address);
// Is there a user or a password in it? A user alone counts: redis-cli reads it as a password, and people write it so.
bool has_credentials(const Address& address);
// A text that is to be shown, with *** for what stands between "://" and "@", and for what a query says of Sentinels' users.
std::string without_secrets(std::string_view text);

}  // namespace tenure::redis
