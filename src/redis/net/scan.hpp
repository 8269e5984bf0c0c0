// Goes through a scan of Redis, page by page. Does not believe that it ends, nor that only what was asked for is named: a
// server of which neither is true is given up, before it has filled our memory.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "redis/net/caller.hpp"

namespace tenure::redis {

struct ScanLimits {
  std::size_t bytes = std::size_t{128} << 20;  // of what is named, and some for each: two million names fit
  core::Duration time = std::chrono::minutes(2);
};

// "ZSCAN key", the cursor, "COUNT 1000".
struct ScanCommand {
  Command before_cursor{};
  Command after_cursor{};
};

using TakePage = std::function<tl::expected<void, core::Failure>(const std::vector<Value>& items)>;
tl::expected<void, core::Failure> scan(Caller& redis, const ScanCommand& command, const TakePage& take,
                                       const ScanLimits& limits = {});

// All keys that begin so. A key may come twice.
using TakeKeys = std::function<tl::expected<void, core::Failure>(std::vector<std::string> keys)>;
tl::expected<void, core::Failure> scan_keys(Caller& redis, const std::string& prefix, const TakeKeys& take,
                                            const ScanLimits& limits = {});

}  // namespace tenure::redis
