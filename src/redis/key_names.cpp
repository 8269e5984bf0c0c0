#include "redis/key_names.hpp"

#include <array>
#include <string_view>

#include "core/names.hpp"
#include "redis/script_call.hpp"

namespace tenure::redis {

namespace {

// What keys begin with, or are, under the usual prefix. The names of elections and fleets are free, and not among them.
constexpr std::array<std::string_view, 8> usual_roots{"redlock:",      "poll:",         "session:",
                                                      "state:",        "tenure:record", "tenure:fence",
                                                      "tenure:queue:", "tenure:wake:"};

}  // namespace

std::optional<std::string> prefix_error(const std::string& prefix) {
  if (auto error = core::name_error("the prefix", prefix)) return error;
  if (prefix == Keyspace::usual_prefix) return std::nullopt;
  for (const auto root : usual_roots) {
    if (!prefix.starts_with(root) && !root.starts_with(prefix)) continue;
    return "the prefix " + prefix + " cannot be used: under the usual prefix " +
           std::string(Keyspace::usual_prefix) + " there are keys that begin with " + std::string(root) +
           ", and some could be the same; choose one that begins otherwise, such as my-app:";
  }
  return std::nullopt;
}

}  // namespace tenure::redis
