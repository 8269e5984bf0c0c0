#include "cli/nodes.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "cli/duration.hpp"
#include "core/names.hpp"
#include "core/text.hpp"
#include "core/timing.hpp"

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

struct Urls {
  std::string source;
  std::vector<std::string> urls;
};

Urls find_urls(const NodeArgs& args) {
  if (!args.redis.empty()) return {"--redis", args.redis};
  if (const auto given = from_environment("TENURE_REDIS")) return {"TENURE_REDIS", split_at_commas(*given)};
  // Not split: other programs use this variable too, and a password may hold a comma.
  if (const auto given = from_environment("REDIS_URL")) return {"REDIS_URL", {*given}};
  return {"the default", {"redis://127.0.0.1:6379"}};
}

tl::expected<core::Duration, std::string> find_ttl_max(const NodeArgs& args) {
  if (args.ttl_max) return *args.ttl_max;
  const auto given = from_environment("TENURE_TTL_MAX");
  if (!given) return core::ttl_max_default;
  return parse_duration(*given).map_error([](const std::string& why) { return "TENURE_TTL_MAX: " + why; });
}

tl::expected<std::vector<redis::Address>, std::string> find_addresses(const NodeArgs& args) {
  const auto [source, urls] = find_urls(args);
  return runtime::read_addresses(urls).map_error([&](const std::string& why) { return source + ": " + why; });
}

}  // namespace

tl::expected<Nodes, std::string> choose_nodes(const NodeArgs& args) {
  if (auto error = core::name_error("the prefix", args.prefix)) return tl::unexpected(*error);
  const auto ttl_max = find_ttl_max(args);
  if (!ttl_max) return tl::unexpected(ttl_max.error());
  const std::string cap = "a cap (--ttl-max) of " + core::shown(*ttl_max);
  if (*ttl_max < core::ttl_min) {
    return tl::unexpected(cap + " is too short; the least is " + core::shown(core::ttl_min));
  }
  if (*ttl_max > core::ttl_cap_max) {
    return tl::unexpected(cap + " is too long; the most is " + core::shown(core::ttl_cap_max));
  }
  auto addresses = find_addresses(args);
  if (!addresses) return tl::unexpected(addresses.error());
  return Nodes{std::move(*addresses), {args.prefix, std::chrono::duration_cast<core::Ttl>(*ttl_max)}};
}

}  // namespace tenure::cli
