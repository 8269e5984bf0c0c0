#include "cli/nodes/nodes.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "api/environment.hpp"
#include "api/url_kind.hpp"
#include "cli/log.hpp"
#include "cli/nodes/tls_options.hpp"
#include "cli/secrets.hpp"
#include "core/base/text.hpp"
#include "core/lease/node_set.hpp"
#include "core/lease/timing.hpp"
#include "redis/key_names.hpp"
#include "redis/node_set.hpp"

namespace tenure::cli {

namespace {

// In the order of the variables that stand in for them.
constexpr std::array<std::string TlsNames::*, detail::tls_variables.size()> tls_names{
    &TlsNames::ca, &TlsNames::certificate, &TlsNames::key, &TlsNames::server_name};

// Sets TLS up where a node asks for it. Where none does, whoever gave a certificate believes otherwise.
std::optional<std::string> set_up_tls(const NodeArgs& args, const redis::Address* beside, Nodes& nodes) {
  const bool wanted =
      std::ranges::any_of(nodes.addresses, &redis::Address::tls) || (beside != nullptr && beside->tls);
  nodes.tls_options = args.tls;
  TlsNames names;
  for (std::size_t i = 0; i < detail::tls_variables.size(); ++i) {
    const auto& [variable, field] = detail::tls_variables[i];
    std::string& value = nodes.tls_options.*field;
    std::string& name = names.*tls_names[i];
    if (auto given = value.empty() ? detail::variable(variable) : std::nullopt) {
      value = std::move(*given);
      name = variable;
    }
    if (wanted || value.empty()) continue;
    return detail::tls_not_asked_for(name);
  }
  if (!wanted) return std::nullopt;
  auto tls = runtime::Tls::load(nodes.tls_options);
  if (!tls) return "TLS: " + naming_tls_options(without_secrets(tls.error()), names);
  nodes.tls = std::move(*tls);
  return std::nullopt;
}

tl::expected<core::Duration, std::string> find_ttl_max(const NodeArgs& args) {
  if (args.ttl_max) return *args.ttl_max;
  return detail::ttl_max_from_environment().map(
      [](const auto& given) { return given.value_or(core::ttl_max_default); });
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

tl::expected<detail::NamedNodes, std::string> named_nodes(const NodeArgs& args) {
  if (!args.redis.empty() && !args.redis_file.empty()) {
    return tl::unexpected(args.redis_option + " and --redis-file both name the nodes: give one of them");
  }
  if (!args.redis.empty()) return detail::nodes_from_urls(args.redis_option, args.redis);
  if (!args.redis_file.empty()) return detail::nodes_from_file("--redis-file", args.redis_file);
  auto named = detail::nodes_from_environment();
  if (!named) return tl::unexpected(std::move(named.error()));
  if (*named) return std::move(**named);
  return detail::nodes_from_urls("the default", {"redis://127.0.0.1:6379"});
}

tl::expected<std::string, std::string> choose_set_name(const NodeArgs& args) {
  if (args.node_set.empty()) {
    return detail::node_set_from_environment().map([](auto given) { return given.value_or(""); });
  }
  if (auto error = core::node_set_error(args.node_set)) return tl::unexpected(std::move(*error));
  return args.node_set;
}

std::string not_of_redis(const detail::NamedNodes& named, const NodeArgs& args) {
  struct stat status{};
  if (!args.redis_file.empty() && stat(args.redis_file.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return named.source +
           " names another store than a Redis by a pipe: name it by a plain file, by --store or TENURE_STORE";
  }
  const char* kind = named.http.empty()                       ? "PostgreSQL"
                     : kubernetes::is_url(named.http.front()) ? "Kubernetes"
                                                              : "Consul";
  return named.source + " names a " + kind + ", and this is about Redis";
}

tl::expected<Nodes, std::string> choose_nodes(const NodeArgs& args, const redis::Address* beside) {
  if (const auto keyspace = choose_keyspace(args); !keyspace) return tl::unexpected(keyspace.error());
  auto named = named_nodes(args);
  if (!named) return tl::unexpected(std::move(named.error()));
  return choose_nodes(args, std::move(*named), beside);
}

tl::expected<Nodes, std::string> choose_nodes(const NodeArgs& args, detail::NamedNodes named,
                                              const redis::Address* beside) {
  auto keyspace = choose_keyspace(args);
  if (!keyspace) return tl::unexpected(keyspace.error());
  if (!named.postgres.empty() || !named.http.empty()) {
    return tl::unexpected(not_of_redis(named, args));
  }
  if (named.warning) log(log_event::password_exposed, *named.warning);
  const auto name = choose_set_name(args);
  if (!name) return tl::unexpected(name.error());
  keyspace->set = redis::node_set(named.addresses, *name);
  Nodes nodes{std::move(named.addresses), std::move(*keyspace)};
  if (auto error = set_up_tls(args, beside, nodes)) return tl::unexpected(std::move(*error));
  return nodes;
}

}  // namespace tenure::cli
