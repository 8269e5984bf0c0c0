#include "cli/server_check.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "core/text.hpp"

namespace tenure::cli {

namespace {

using core::Failure;

constexpr int version_min = 7;

Failure refusal(std::string detail) {
  return {core::Applied::no, core::FailureCode::server, std::move(detail)};
}

// One field of INFO, which has a "name:value" on each line.
std::string_view field(std::string_view info, std::string_view name) {
  for (std::size_t from = 0; from < info.size();) {
    const auto end = std::min(info.find("\r\n", from), info.size());
    const auto line = info.substr(from, end - from);
    if (line.starts_with(name) && line.substr(name.size()).starts_with(':'))
      return line.substr(name.size() + 1);
    from = end + 2;
  }
  return {};
}

tl::expected<std::string, Failure> info(runtime::Caller& redis) {
  std::string text;
  for (const char* section : {"server", "replication", "cluster"}) {
    auto value = redis.call({"INFO", section});
    if (!value) return tl::unexpected(value.error());
    text += value->text;
  }
  return text;
}

}  // namespace

std::optional<Failure> unfit(runtime::Caller& redis) {
  const auto facts = info(redis);
  if (!facts) return facts.error();
  const auto version = field(*facts, "redis_version");
  int major = 0;
  std::from_chars(version.data(), version.data() + version.size(), major);
  if (version.empty()) return refusal("INFO says no version: is this a Redis?");
  if (major < version_min) {
    return refusal("this is Redis " + core::printable(version, 20) + "; Tenure needs 7.0 or later");
  }
  // One script touches several keys, and they have no common slot (T30).
  if (field(*facts, "cluster_enabled") == "1" || field(*facts, "redis_mode") == "cluster") {
    return refusal("this is a Redis Cluster, which does not work yet");
  }
  if (field(*facts, "role") == "slave") return refusal("this is a read-only replica; name its master");
  return std::nullopt;
}

}  // namespace tenure::cli
