#include "cli/doctor/server_info.hpp"

#include <algorithm>
#include <charconv>

#include "core/base/text.hpp"

namespace tenure::cli {

// A "name:value" on each line.
std::string_view ServerInfo::field(std::string_view name) const {
  const std::string_view info = text_;
  for (std::size_t from = 0; from < info.size();) {
    const auto end = std::min(info.find("\r\n", from), info.size());
    const auto line = info.substr(from, end - from);
    if (line.starts_with(name) && line.substr(name.size()).starts_with(':'))
      return line.substr(name.size() + 1);
    from = end + 2;
  }
  return {};
}

int ServerInfo::version_major() const {
  const auto version = field("redis_version");
  int major = 0;
  std::from_chars(version.data(), version.data() + version.size(), major);
  return major;
}

std::string ServerInfo::product() const {
  const auto valkey = field("valkey_version");
  const auto version = valkey.empty() ? field("redis_version") : valkey;
  return (valkey.empty() ? "Redis " : "Valkey ") + core::printable(version, 20);
}

std::string ServerInfo::life() const {
  return std::string(field("run_id")).append("-").append(field("master_replid"));
}

tl::expected<ServerInfo, core::Failure> ask_info(redis::Caller& redis,
                                                 std::initializer_list<const char*> sections) {
  std::string text;
  for (const char* section : sections) {
    auto value = redis.call({"INFO", section});
    if (!value) return tl::unexpected(value.error());
    text += value->text;
  }
  return ServerInfo(std::move(text));
}

}  // namespace tenure::cli
