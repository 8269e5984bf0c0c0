#include "cli/nodes/nodes.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "cli/args/duration.hpp"
#include "cli/message.hpp"
#include "cli/nodes/redis_file.hpp"
#include "cli/secrets.hpp"
#include "core/base/names.hpp"
#include "core/base/text.hpp"
#include "core/lease/timing.hpp"
#include "redis/key_names.hpp"
#include "redis/net/redis_node.hpp"
#include "redis/node_set.hpp"

namespace tenure::cli {

namespace {

// An empty variable counts as none: that is how scripts and service files switch one off.
std::optional<std::string> from_environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

// Only where the next URL begins: a password may hold a comma, and half of it must not be shown as a host.
std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const auto comma = std::min(text.find(',', from), text.size());
    const auto part = text.substr(from, comma - from);
    if (parts.empty() || part.find("://") != std::string_view::npos) {
      parts.emplace_back(part.substr(std::min(part.find_first_not_of(' '), part.size())));
    } else {
      parts.back().append(",").append(part);
    }
    from = comma + 1;
  }
  return parts;
}

struct Named {
  std::string source;
  std::vector<redis::Address> addresses;
};

tl::expected<Named, std::string> from_urls(const std::string& source, const std::vector<std::string>& urls) {
  auto addresses = redis::parse_addresses(urls);
  if (!addresses) return tl::unexpected(source + ": " + addresses.error());
  return Named{source, std::move(*addresses)};
}

tl::expected<Named, std::string> from_file(const std::string& source, const std::string& path) {
  auto file = read_redis_file(path);
  if (!file) return tl::unexpected(source + ": " + file.error());
  // A name alone counts, too: redis-cli reads it as a password, and people write it so.
  const bool secret = std::ranges::any_of(
      file->addresses, [](const auto& it) { return !it.password.empty() || !it.user.empty(); });
  if (file->exposed && secret) {
    say("warning: " + core::printable(path, 200) + " holds a password, and others can read it: chmod 600");
  }
  return Named{source, std::move(file->addresses)};
}

tl::expected<Named, std::string> find_named(const NodeArgs& args) {
  if (!args.redis.empty() && !args.redis_file.empty()) {
    return tl::unexpected(std::string("--redis and --redis-file both name the nodes: give one of them"));
  }
  if (!args.redis.empty()) return from_urls("--redis", args.redis);
  if (!args.redis_file.empty()) return from_file("--redis-file", args.redis_file);
  if (const auto given = from_environment("TENURE_REDIS")) {
    return from_urls("TENURE_REDIS", split_at_commas(*given));
  }
  if (const auto given = from_environment("TENURE_REDIS_FILE")) return from_file("TENURE_REDIS_FILE", *given);
  // Not split: other programs use this variable too, and a password may hold a comma.
  if (const auto given = from_environment("REDIS_URL")) return from_urls("REDIS_URL", {*given});
  return from_urls("the default", {"redis://127.0.0.1:6379"});
}

constexpr runtime::TlsFlags tls_flags{"--tls-ca", "--tls-cert", "--tls-key", "--tls-name"};

// The flags of TLS, each with the variable that stands in for it.
struct TlsSetting {
  std::string_view flag;
  const char* variable;
  std::string runtime::TlsOptions::* value;
};

constexpr std::array tls_settings{
    TlsSetting{tls_flags.ca, "TENURE_TLS_CA", &runtime::TlsOptions::ca_file},
    TlsSetting{tls_flags.certificate, "TENURE_TLS_CERT", &runtime::TlsOptions::certificate_file},
    TlsSetting{tls_flags.key, "TENURE_TLS_KEY", &runtime::TlsOptions::key_file},
    TlsSetting{tls_flags.server_name, "TENURE_TLS_NAME", &runtime::TlsOptions::server_name},
};

// Sets TLS up where a node asks for it. Where none does, whoever gave a certificate believes otherwise.
std::optional<std::string> set_up_tls(const NodeArgs& args, const redis::Address* beside, Nodes& nodes) {
  const bool wanted =
      std::ranges::any_of(nodes.addresses, &redis::Address::tls) || (beside != nullptr && beside->tls);
  nodes.tls_options = args.tls;
  for (const auto& [flag, variable, value] : tls_settings) {
    const bool by_flag = !(args.tls.*value).empty();
    if (!by_flag) nodes.tls_options.*value = from_environment(variable).value_or("");
    if (wanted || (nodes.tls_options.*value).empty()) continue;
    return std::string(by_flag ? flag : variable) +
           " is for TLS, and no address asks for it: those begin with rediss://";
  }
  if (!wanted) return std::nullopt;
  auto tls = runtime::Tls::load(nodes.tls_options, tls_flags);
  if (!tls) return "TLS: " + without_secrets(tls.error());
  nodes.tls = std::move(*tls);
  return std::nullopt;
}

tl::expected<core::Duration, std::string> find_ttl_max(const NodeArgs& args) {
  if (args.ttl_max) return *args.ttl_max;
  const auto given = from_environment("TENURE_TTL_MAX");
  if (!given) return core::ttl_max_default;
  return parse_duration(*given).map_error([](const std::string& why) { return "TENURE_TTL_MAX: " + why; });
}

tl::expected<std::vector<redis::Address>, std::string> find_addresses(const NodeArgs& args) {
  auto named = find_named(args);
  if (!named) return tl::unexpected(named.error());
  if (auto error = redis::error_in(named->addresses)) return tl::unexpected(named->source + ": " + *error);
  return std::move(named->addresses);
}

}  // namespace

tl::expected<redis::Keyspace, std::string> choose_keyspace(const NodeArgs& args) {
  if (auto error = redis::prefix_error(args.prefix)) return tl::unexpected(*error);
  const auto ttl_max = find_ttl_max(args);
  if (!ttl_max) return tl::unexpected(ttl_max.error());
  const std::string cap = "a cap (--ttl-max) of " + core::to_text(*ttl_max);
  if (*ttl_max < core::ttl_min) {
    return tl::unexpected(cap + " is too short; the least is " + core::to_text(core::ttl_min));
  }
  if (*ttl_max > core::ttl_cap_max) {
    return tl::unexpected(cap + " is too long; the most is " + core::to_text(core::ttl_cap_max));
  }
  return redis::Keyspace{args.prefix, std::chrono::duration_cast<core::Ttl>(*ttl_max)};
}

tl::expected<std::string, std::string> choose_set_name(const NodeArgs& args) {
  std::string name = args.node_set.empty() ? from_environment("TENURE_NODE_SET").value_or("") : args.node_set;
  if (auto error = redis::node_set_error(name)) return tl::unexpected(std::move(*error));
  return name;
}

tl::expected<Nodes, std::string> choose_nodes(const NodeArgs& args, const redis::Address* beside) {
  auto keyspace = choose_keyspace(args);
  if (!keyspace) return tl::unexpected(keyspace.error());
  auto addresses = find_addresses(args);
  if (!addresses) return tl::unexpected(addresses.error());
  const auto name = choose_set_name(args);
  if (!name) return tl::unexpected(name.error());
  keyspace->set = redis::node_set(*addresses, *name);
  Nodes nodes{std::move(*addresses), std::move(*keyspace)};
  if (auto error = set_up_tls(args, beside, nodes)) return tl::unexpected(std::move(*error));
  return nodes;
}

runtime::ClientOptions as_client(const Nodes& nodes, const std::string& owner) {
  return {.nodes = redis::make_nodes(nodes.addresses, nodes.keyspace, nodes.tls),
          .owner = owner,
          .terms = nodes.keyspace.terms(),
          .log = [](std::string_view sentence) { say(sentence); }};
}

}  // namespace tenure::cli
