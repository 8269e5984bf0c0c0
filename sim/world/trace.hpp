// What happened in a world, as a hash and, if asked for, as lines of text. Two runs of a seed are the
// same when their hashes are (S14).
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "sim/world/clock.hpp"

namespace tenure::sim {

class Trace {
 public:
  explicit Trace(bool print) : print_(print) {}

  // Everything that tells one event from another goes into the hash; text() only explains it.
  template <class Text>
  void event(TrueTime now, std::string_view what, std::uint64_t a, std::uint64_t b, Text&& text) {
    mix(static_cast<std::uint64_t>(now.time_since_epoch().count()));
    mix_text(what);
    mix(a);
    mix(b);
    if (!print_) return;
    const std::string detail = text();
    std::printf("%12.6f ms  %-9.*s %s\n",
                std::chrono::duration<double, std::milli>(now.time_since_epoch()).count(),
                static_cast<int>(what.size()), what.data(), detail.c_str());
  }

  // What an event was about: into the hash only.
  void mix_text(std::string_view text) {
    for (const char c : text) mix(static_cast<unsigned char>(c));
  }

  std::uint64_t hash() const { return hash_; }

 private:
  void mix(std::uint64_t value) {
    hash_ = (hash_ ^ value) * 0x9e3779b97f4a7c15U;
    hash_ ^= hash_ >> 29U;
  }

  bool print_;
  std::uint64_t hash_ = 0x7e11a7e5eedU;
};

}  // namespace tenure::sim
