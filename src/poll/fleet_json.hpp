// What instances and polls have written into a store as JSON, for those who show it. Decides nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenure::poll {

// The last heartbeat of an instance.
struct InstanceText {
  std::string status;           // ready or leaving
  std::int64_t started_ms = 0;  // unix time, by its own clock
  std::uint32_t weight = 1;
  std::uint64_t owned = 0;
  std::uint64_t version = 0;

  bool operator==(const InstanceText&) const = default;
};

// Nothing when it is no heartbeat.
std::optional<InstanceText> read_instance(std::string_view text);

// The last result of a poll.
struct ResultText {
  bool ok = false;
  std::string error{};
  std::optional<std::int64_t> at_ms{};    // unix time, by the clock of who polled
  std::optional<std::int64_t> took_ms{};  // the poll

  bool operator==(const ResultText&) const = default;
};

// Also where its body, which stands last, is cut off. Nothing when it does not say whether it went well.
std::optional<ResultText> read_result(std::string_view text);

}  // namespace tenure::poll
