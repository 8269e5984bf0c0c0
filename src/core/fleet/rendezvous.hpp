// How well a member fits a session: rendezvous hashing, which everybody works out alike without a word.
// Bare FNV-1a would favour some members where ids count up; the mixer spreads what differs in few bits over all.
#pragma once

#include <cstdint>
#include <string_view>

namespace tenure::core {

// A session as placement knows it: by a hash of its id.
using SessionHash = std::uint64_t;

constexpr std::uint64_t mixed(std::uint64_t bits) {
  bits ^= bits >> 32;
  bits *= 0xd6e8feb86659fd93U;
  bits ^= bits >> 32;
  bits *= 0xd6e8feb86659fd93U;
  return bits ^ (bits >> 32);
}

constexpr std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : text) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 0x100000001b3U;
  }
  return hash;
}

constexpr SessionHash session_hash(std::string_view id) { return mixed(fnv1a(id)); }

// Mixed twice: a session that has a member's name is to that member a session like any other.
constexpr std::uint64_t member_hash(std::string_view id) { return mixed(mixed(fnv1a(id))); }

// The higher the better, and never 0, which is left for "none".
constexpr std::uint64_t rank_of(std::uint64_t member, SessionHash session) {
  return mixed(member ^ session) | 1U;
}

}  // namespace tenure::core
