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

// Another user or database makes no other server of it.
bool same_server(const redis::Address& one, const redis::Address& other) {
  return one.kind == other.kind && one.host == other.host && one.port == other.port && one.path == other.path;
}

// Why this one cannot stand beside those before it, or nothing.
std::optional<std::string> misplaced(const redis::Address& address,
                                     const std::vector<redis::Address>& others) {
  const std::string name = redis::shown(address);
  if (address.tls) return name + ": TLS is not supported yet";
  const auto same = std::ranges::find_if(others, [&](const auto& it) { return same_server(it, address); });
  if (same == others.end()) return std::nullopt;
  const std::string other = redis::shown(*same);
  return (other == name ? name + " is given twice" : other + " and " + name + " are one Redis") +
         "; every node must be a Redis of its own";
}

tl::expected<std::vector<redis::Address>, std::string> find_addresses(const NodeArgs& args) {
  const auto [source, urls] = find_urls(args);
  const auto refuse = [&](const std::string& why) { return tl::unexpected(source + ": " + why); };
  if (urls.size() > core::nodes_max) {
    return refuse(std::to_string(urls.size()) + " nodes are too many; the most is " +
                  std::to_string(core::nodes_max));
  }
  std::vector<redis::Address> addresses;
  for (const auto& url : urls) {
    auto address = redis::parse_url(url);
    if (!address) return refuse(address.error());
    if (const auto error = misplaced(*address, addresses)) return refuse(*error);
    addresses.push_back(std::move(*address));
  }
  return addresses;
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

std::optional<std::string> warning_of_even(const Nodes& nodes) {
  const std::size_t count = nodes.addresses.size();
  if (count % 2 != 0) return std::nullopt;
  return std::to_string(count) + " nodes: an even number tolerates no more failures than " +
         std::to_string(count - 1) + "; take one more or one less";
}

std::string as_options(const Nodes& nodes) {
  std::string options;
  for (const auto& address : nodes.addresses) options += " --redis " + redis::shown(address);
  const redis::Keyspace usual;
  if (nodes.keyspace.prefix != usual.prefix) options += " --prefix " + nodes.keyspace.prefix;
  if (nodes.keyspace.cap != usual.cap) options += " --ttl-max " + core::shown(nodes.keyspace.cap);
  return options.substr(1);
}

}  // namespace tenure::cli
