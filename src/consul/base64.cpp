#include "consul/base64.hpp"

#include <cstdint>

namespace tenure::consul {

namespace {

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t count = bytes.size() - i < 3 ? bytes.size() - i : 3;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8U | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += j <= count ? digits[group >> (18U - 6U * j) & 63U] : '=';
    }
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t whole = text.find('=');
  const std::size_t padding = whole == std::string_view::npos ? 0 : text.size() - whole;
  if (padding > 2 || text.substr(text.size() - padding) != std::string_view("==").substr(0, padding)) {
    return std::nullopt;
  }
  std::string bytes;
  std::uint32_t group = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool padded = i >= text.size() - padding;
    const auto digit = padded ? 0 : digits.find(text[i]);
    if (digit == std::string_view::npos) return std::nullopt;
    group = (group << 6U | static_cast<std::uint32_t>(digit)) & 0xffffffU;
    if (i % 4 != 3) continue;
    for (unsigned j = 0; j < 3; ++j) bytes += static_cast<char>(group >> (16U - 8U * j) & 255U);
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

}  // namespace tenure::consul
