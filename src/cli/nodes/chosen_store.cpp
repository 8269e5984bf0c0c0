#include "cli/nodes/chosen_store.hpp"

#include <sys/stat.h>

#include <array>
#include <utility>

#include "api/environment.hpp"
#include "api/open_store.hpp"
#include "cli/log.hpp"
#include "cli/nodes/advice.hpp"
#include "cli/nodes/redis_inspector.hpp"
#include "cli/shell_word.hpp"
#include "core/base/text.hpp"
#include "postgres/failure.hpp"
#include "postgres/url.hpp"
#include "redis/net/redis_store.hpp"

namespace tenure::cli {

namespace {

// Those of a PostgreSQL are in its URL.
std::optional<std::string> tls_given(const NodeArgs& args) {
  constexpr std::array flags{"--tls-ca", "--tls-cert", "--tls-key", "--tls-name"};
  for (std::size_t i = 0; i < detail::tls_variables.size(); ++i) {
    const auto& [variable, field] = detail::tls_variables[i];
    const bool flag = !(args.tls.*field).empty();
    if (!flag && !detail::variable(variable)) continue;
    return std::string(flag ? flags[i] : variable) +
           " is for Redis; a PostgreSQL is told of TLS by its URL (?sslmode=verify-full&sslrootcert=FILE)";
  }
  return std::nullopt;
}

}  // namespace

tl::expected<ClientOptions, std::string> postgresql_options(const NodeArgs& args, detail::NamedNodes named) {
  if (named.warning) log(log_event::password_exposed, *named.warning);
  if (auto error = tls_given(args)) return tl::unexpected(std::move(*error));
  const auto keyspace = choose_keyspace(args);
  if (!keyspace) return tl::unexpected(keyspace.error());
  auto set_name = choose_set_name(args);
  if (!set_name) return tl::unexpected(std::move(set_name.error()));
  ClientOptions options;
  options.nodes = std::move(named.postgres);
  options.prefix = keyspace->prefix;
  options.ttl_max = keyspace->cap;
  options.node_set = std::move(*set_name);
  return options;
}

tl::expected<ClientOptions, std::string> http_store_options(const NodeArgs& args, detail::NamedNodes named) {
  const auto keyspace = choose_keyspace(args);
  if (!keyspace) return tl::unexpected(keyspace.error());
  if (!args.node_set.empty()) {
    return tl::unexpected(
        std::string("--node-set names a set of several nodes, and a Kubernetes or a Consul is one"));
  }
  ClientOptions options;
  options.nodes = std::move(named.http);
  options.prefix = keyspace->prefix;
  options.ttl_max = keyspace->cap;
  options.tls = args.tls;
  for (const auto& [name, field] : detail::tls_variables) {
    std::string& value = options.tls.*field;
    if (value.empty()) value = detail::variable(name).value_or("");
  }
  return options;
}

namespace {

tl::expected<ChosenStore, std::string> choose_http_store(const NodeArgs& args, detail::NamedNodes named) {
  if (&tenure_inspect_http_store == nullptr) return tl::unexpected(not_of_redis(named, args));
  const auto options = http_store_options(args, std::move(named));
  if (!options) return tl::unexpected(options.error());
  auto store = detail::open_store(*options);
  if (!store) return tl::unexpected(std::move(store.error()));
  tl::expected<std::shared_ptr<const NodeInspector>, std::string> inspector;
  tenure_inspect_http_store(*options, *store, inspector);
  if (!inspector) return tl::unexpected(std::move(inspector.error()));
  return ChosenStore{.store = std::move(*store),
                     .prefix = options->prefix,
                     .inspector = std::move(*inspector),
                     .fleets = false};
}

}  // namespace

tl::expected<ChosenStore, std::string> choose_store(const NodeArgs& args, const redis::Address* beside) {
  if (const auto keyspace = choose_keyspace(args); !keyspace) return tl::unexpected(keyspace.error());
  auto named = named_nodes(args);
  if (!named) return tl::unexpected(std::move(named.error()));
  if (named->postgres.empty() && named->http.empty()) {
    auto nodes = choose_nodes(args, std::move(*named), beside);
    if (!nodes) return tl::unexpected(std::move(nodes.error()));
    return ChosenStore{redis::store_of(*nodes), nodes->keyspace.prefix, inspector_of(*nodes),
                       std::move(*nodes)};
  }
  if (!named->http.empty()) return choose_http_store(args, std::move(*named));
  if (&tenure_inspect_postgresql == nullptr) return tl::unexpected(not_of_redis(*named, args));
  const auto options = postgresql_options(args, std::move(*named));
  if (!options) return tl::unexpected(options.error());
  auto store = detail::open_store(*options);
  if (!store) return tl::unexpected(std::move(store.error()));
  tl::expected<std::shared_ptr<const NodeInspector>, std::string> inspector;
  tenure_inspect_postgresql(*options, inspector);
  if (!inspector) return tl::unexpected(std::move(inspector.error()));
  return ChosenStore{std::move(*store), options->prefix, std::move(*inspector)};
}

std::string how_to_init(const ClientOptions& postgresql) {
  std::string urls;
  bool secret = false;
  for (const std::string& url : postgresql.nodes) {
    const std::string shown = postgres::without_passwords(url);
    secret = secret || shown != url;
    urls += " --store " + shell_word(core::printable(shown, 400));
  }
  redis::Keyspace keyspace;
  keyspace.prefix = postgresql.prefix;
  keyspace.cap = std::chrono::duration_cast<core::Ttl>(postgresql.ttl_max);
  return (secret ? ", with its password in PGPASSWORD: tenure init" : ": tenure init") + urls +
         common_options(keyspace, postgresql.node_set);
}

namespace {

// Nothing where that cannot be known without reading what can be read once.
std::optional<detail::NamedNodes> named_beforehand(const NodeArgs& args) {
  // A pipe is read once, by whoever knows what to do with it.
  struct stat status{};
  if (!args.redis_file.empty() && (stat(args.redis_file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)))
    return std::nullopt;
  auto named = named_nodes(args);
  return named ? std::optional(std::move(*named)) : std::nullopt;
}

}  // namespace

bool names_another_than_redis(const NodeArgs& args) {
  const auto named = named_beforehand(args);
  return named && (!named->postgres.empty() || !named->http.empty());
}

bool names_http_store(const NodeArgs& args) {
  const auto named = named_beforehand(args);
  return named && !named->http.empty();
}

std::string advice_on(const Refusal& refusal, const ChosenStore& store) {
  const std::string& how_to_init = store.inspector->how_to_init();
  const bool is_new = refusal.not_open && refusal.not_open->why == NotOpen::Why::no_record;
  if (!is_new && refusal.message.find(postgres::init_makes_it) != std::string::npos) {
    return "; to make it" + how_to_init;
  }
  return advice_on(refusal.not_open, how_to_init);
}

}  // namespace tenure::cli
