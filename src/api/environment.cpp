#include "api/environment.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "api/redis_file.hpp"
#include "api/url_kind.hpp"
#include "core/base/duration_text.hpp"
#include "core/base/text.hpp"
#include "core/lease/node_set.hpp"
#include "core/lease/timing.hpp"
#include "redis/text/nodes.hpp"

namespace tenure::detail {

namespace {

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

tl::expected<NamedNodes, std::string> checked(NamedNodes named) {
  std::vector<std::string> kinds;
  if (!named.addresses.empty()) kinds.emplace_back("Redis");
  if (!named.postgres.empty()) kinds.emplace_back("PostgreSQL");
  if (std::ranges::any_of(named.http, kubernetes::is_url)) kinds.emplace_back("Kubernetes");
  if (std::ranges::any_of(named.http, consul::is_url)) kinds.emplace_back("Consul");
  if (kinds.size() > 1) {
    return tl::unexpected(named.source + ": some nodes are " + kinds[0] + " and some " + kinds[1] +
                          "; all must be of one kind");
  }
  if (named.addresses.empty()) return named;
  if (auto error = redis::error_in(named.addresses)) return tl::unexpected(named.source + ": " + *error);
  return named;
}

// A variable, and the URLs that it holds.
struct List {
  std::string source;
  std::string urls;
};

// Two words for one thing. Which of two different lists is meant nobody can know: the nodes decide who owns what.
tl::expected<std::optional<List>, std::string> list_from_environment() {
  const auto store = variable("TENURE_STORE");
  const auto redis = variable("TENURE_REDIS");
  if (store && redis && *store != *redis) {
    return tl::unexpected(std::string("TENURE_STORE and TENURE_REDIS name different nodes: set one of them"));
  }
  if (store) return List{"TENURE_STORE", *store};
  if (redis) return List{"TENURE_REDIS", *redis};
  return std::nullopt;
}

}  // namespace

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody here sets one
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

tl::expected<NamedNodes, std::string> nodes_from_urls(const std::string& source,
                                                      const std::vector<std::string>& urls) {
  NamedNodes named{source};
  std::vector<std::string> of_redis;
  for (const auto& url : urls) {
    auto& list = postgres::is_url(url) ? named.postgres : is_http_store(url) ? named.http : of_redis;
    list.push_back(url);
  }
  auto addresses = redis::parse_addresses(of_redis);
  if (!addresses) return tl::unexpected(source + ": " + addresses.error());
  named.addresses = std::move(*addresses);
  return checked(std::move(named));
}

tl::expected<NamedNodes, std::string> nodes_from_file(const std::string& source, const std::string& path) {
  auto file = read_redis_file(path);
  if (!file) return tl::unexpected(source + ": " + file.error());
  NamedNodes named{source, std::move(file->addresses), std::move(file->postgres), std::move(file->http)};
  const auto asks_for_password = [](const std::string& url) { return url.find('@') != std::string::npos; };
  const bool secret = std::ranges::any_of(named.postgres, asks_for_password) ||
                      std::ranges::any_of(named.addresses, redis::has_credentials);
  if (file->exposed && secret) {
    named.warning =
        "warning: " + core::printable(path, 200) + " holds a password, and others can read it: chmod 600";
  }
  return checked(std::move(named));
}

tl::expected<std::optional<NamedNodes>, std::string> nodes_from_environment() {
  using Read = tl::expected<std::optional<NamedNodes>, std::string>;
  const auto optional = [](NamedNodes named) { return std::optional(std::move(named)); };
  const auto list = list_from_environment();
  if (!list) return tl::unexpected(list.error());
  if (*list) return nodes_from_urls((*list)->source, split_at_commas((*list)->urls)).map(optional);
  if (const auto given = variable("TENURE_REDIS_FILE")) {
    return nodes_from_file("TENURE_REDIS_FILE", *given).map(optional);
  }
  // Not split: other programs use this variable too, and a password may hold a comma.
  if (const auto given = variable("REDIS_URL")) return nodes_from_urls("REDIS_URL", {*given}).map(optional);
  return Read(std::nullopt);
}

tl::expected<std::optional<core::Duration>, std::string> ttl_max_from_environment() {
  const auto given = variable("TENURE_TTL_MAX");
  if (!given) return std::nullopt;
  const auto read = core::parse_duration(*given);
  if (!read) return tl::unexpected("TENURE_TTL_MAX: " + read.error());
  if (*read < core::ttl_min || *read > core::ttl_cap_max) {
    return tl::unexpected("TENURE_TTL_MAX: " + core::to_text(*read) + " is not between " +
                          core::to_text(core::ttl_min) + " and " + core::to_text(core::ttl_cap_max));
  }
  return *read;
}

tl::expected<std::optional<std::string>, std::string> node_set_from_environment() {
  auto given = variable("TENURE_NODE_SET");
  if (!given) return std::nullopt;
  if (const auto error = core::node_set_error(*given)) return tl::unexpected("TENURE_NODE_SET: " + *error);
  return given;
}

std::string tls_not_asked_for(const std::string& source) {
  return source + " is for TLS, and no address asks for it: those begin with rediss://";
}

}  // namespace tenure::detail
