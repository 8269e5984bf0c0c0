#include "kubernetes/object_name.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "core/base/text.hpp"

namespace tenure::kubernetes {

namespace {

constexpr std::string_view escaped = "x--";
constexpr std::string_view locks = "redlock:";
constexpr std::string_view locks_shown = "redlock.";

bool is_plain(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_label(std::string_view label) {
  return !label.empty() && is_plain(label.front()) && is_plain(label.back()) &&
         std::ranges::all_of(label, [](char c) { return is_plain(c) || c == '-'; });
}

// Would it be taken for what stands for another name?
bool is_ambiguous(std::string_view name) {
  return name.starts_with(escaped) || name.starts_with(locks_shown);
}

std::string escape(std::string_view name) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text(escaped);
  for (const char c : name) {
    if (is_plain(c)) {
      text += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    text += '-';
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

// Empty for what escape() does not write.
std::string unescape(std::string_view text) {
  std::string name;
  while (!text.empty()) {
    if (text.front() != '-') {
      name += text.front();
      text.remove_prefix(1);
      continue;
    }
    unsigned byte = 0;
    const auto digits = text.substr(1, 2);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (digits.size() != 2 || error != std::errc{} || end != digits.data() + 2) return {};
    name += static_cast<char>(byte);
    text.remove_prefix(3);
  }
  return name;
}

}  // namespace

bool is_object_name(std::string_view text) {
  if (text.empty() || text.size() > object_name_max) return false;
  while (true) {
    const auto dot = text.find('.');
    if (!is_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_namespace_name(std::string_view text) { return text.size() <= 63 && is_label(text); }

tl::expected<std::string, std::string> object_name(std::string_view name) {
  if (is_object_name(name) && !is_ambiguous(name)) return std::string(name);
  if (name.starts_with(locks)) {
    const std::string_view rest = name.substr(locks.size());
    std::string shown = std::string(locks_shown).append(rest);
    if (is_object_name(shown)) return shown;
  }
  std::string text = escape(name);
  if (text.size() <= object_name_max) return text;
  return tl::unexpected("the name " + core::printable(name, 60) + " is too long for a Kubernetes object: " +
                        std::to_string(text.size()) + " characters as " + core::printable(text, 30) +
                        ", and the most is " + std::to_string(object_name_max));
}

std::string name_of_object(std::string_view object) {
  if (object.starts_with(locks_shown)) return std::string(locks).append(object.substr(locks_shown.size()));
  if (object.starts_with(escaped)) {
    std::string name = unescape(object.substr(escaped.size()));
    // Somebody else's object may look like ours.
    if (const auto made = object_name(name); !name.empty() && made && *made == object) return name;
  }
  return std::string(object);
}

}  // namespace tenure::kubernetes
