// What the environment says of nodes, cap and TLS: read alike by the program, after its flags, and by
// Client::from_environment().
#pragma once

#include <array>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "core/base/time.hpp"
#include "redis/url.hpp"
#include "tenure/options.hpp"

namespace tenure::detail {

// An empty variable counts as none: that is how scripts and service files switch one off.
std::optional<std::string> variable(const char* name);

// Nodes, and where they were named. All errors here are sentences without secrets that begin with the source.
struct NamedNodes {
  std::string source{};
  std::vector<redis::Address> addresses{};
  // In place of these: nodes of PostgreSQL, whose URLs only libpq can read.
  std::vector<std::string> postgres{};
  // Or of Kubernetes or Consul, which is one.
  std::vector<std::string> http{};
  std::optional<std::string> warning{};  // a sentence: the file holds a password, and others can read it
};

tl::expected<NamedNodes, std::string> nodes_from_urls(const std::string& source,
                                                      const std::vector<std::string>& urls);
tl::expected<NamedNodes, std::string> nodes_from_file(const std::string& source, const std::string& path);
// By TENURE_STORE or TENURE_REDIS, which mean the same, else TENURE_REDIS_FILE, else REDIS_URL. Returns nullopt where none
// of them is set.
tl::expected<std::optional<NamedNodes>, std::string> nodes_from_environment();

// By TENURE_TTL_MAX.
tl::expected<std::optional<core::Duration>, std::string> ttl_max_from_environment();
// By TENURE_NODE_SET.
tl::expected<std::optional<std::string>, std::string> node_set_from_environment();

struct TlsVariable {
  const char* name;
  std::string Tls::* field;
};

inline constexpr std::array tls_variables{
    TlsVariable{"TENURE_TLS_CA", &Tls::ca_file},
    TlsVariable{"TENURE_TLS_CERT", &Tls::certificate_file},
    TlsVariable{"TENURE_TLS_KEY", &Tls::key_file},
    TlsVariable{"TENURE_TLS_NAME", &Tls::server_name},
};

// A variable or flag that sets TLS up where no address asks for it: who set it believes otherwise.
std::string tls_not_asked_for(const std::string& source);

}  // namespace tenure::detail
