#include "redis/net/scan.hpp"

#include <cstdint>
#include <utility>

#include "core/base/number.hpp"
#include "redis/glob.hpp"
#include "runtime/boot_clock.hpp"

namespace tenure::redis {

using core::Failure;

namespace {

tl::unexpected<Failure> endless() {
  return tl::unexpected(Failure{core::Applied::no, core::FailureCode::protocol, "its scan does not end"});
}

Command with_cursor(const ScanCommand& command, const std::string& cursor) {
  Command words = command.before_cursor;
  words.push_back(cursor);
  words.insert(words.end(), command.after_cursor.begin(), command.after_cursor.end());
  return words;
}

}  // namespace

tl::expected<void, Failure> scan(Caller& redis, const ScanCommand& command, const TakePage& take,
                                 const ScanLimits& limits) {
  const core::Time deadline = runtime::boot_now() + limits.time;
  std::size_t bytes_left = limits.bytes;
  std::string cursor = "0";
  do {
    if (runtime::boot_now() >= deadline) return endless();
    const auto page = redis.call(with_cursor(command, cursor));
    if (!page) return tl::unexpected(page.error());
    if (page->items.size() != 2) return tl::unexpected(core::misfit);
    cursor = page->items[0].text;
    if (!core::read_number<std::uint64_t>(cursor)) return tl::unexpected(core::misfit);
    for (const auto& item : page->items[1].items) {
      const std::size_t bytes = item.text.size() + sizeof item.text;
      if (bytes > bytes_left) return endless();
      bytes_left -= bytes;
    }
    if (auto taken = take(page->items[1].items); !taken) return taken;
  } while (cursor != "0");
  return {};
}

tl::expected<void, Failure> scan_keys(Caller& redis, const std::string& prefix, const TakeKeys& take,
                                      const ScanLimits& limits) {
  const ScanCommand command{{"SCAN"}, {"MATCH", pattern_of(prefix), "COUNT", "1000"}};
  const auto take_page = [&](const std::vector<Value>& items) -> tl::expected<void, Failure> {
    std::vector<std::string> keys;
    for (const auto& item : items) {
      if (!item.text.starts_with(prefix)) return tl::unexpected(core::misfit);
      keys.push_back(item.text);
    }
    return take(std::move(keys));
  };
  return scan(redis, command, take_page, limits);
}

}  // namespace tenure::redis
