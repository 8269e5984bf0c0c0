#include "redis/list_text.hpp"

namespace tenure::redis {

namespace {

constexpr std::size_t bytes_each = sizeof(core::SessionHash);

}  // namespace

std::string list_text(const std::vector<core::SessionHash>& list) {
  std::string text;
  text.reserve(list.size() * bytes_each);
  for (const core::SessionHash hash : list) {
    for (std::size_t byte = 0; byte < bytes_each; ++byte) text += static_cast<char>(hash >> (8 * byte));
  }
  return text;
}

std::optional<std::vector<core::SessionHash>> read_list(std::string_view text) {
  if (text.size() % bytes_each != 0) return std::nullopt;
  std::vector<core::SessionHash> list;
  list.reserve(text.size() / bytes_each);
  for (; !text.empty(); text.remove_prefix(bytes_each)) {
    core::SessionHash hash = 0;
    for (std::size_t byte = 0; byte < bytes_each; ++byte) {
      hash |= core::SessionHash{static_cast<unsigned char>(text[byte])} << (8 * byte);
    }
    list.push_back(hash);
  }
  return list;
}

}  // namespace tenure::redis
