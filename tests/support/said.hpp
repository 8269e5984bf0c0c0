// What a server of a test says, which may be more than any Redis would: bytes, and then an end, silence, or no end at all.
#pragma once

#include <string>
#include <utility>

namespace tenure::test {

struct Said {
  // NOLINTNEXTLINE(google-explicit-constructor): most answers are just bytes.
  Said(std::string text) : bytes(std::move(text)) {}
  Said(const char* text) : bytes(text) {}

  static Said and_hang_up(std::string text) {
    Said said(std::move(text));
    said.hangs_up = true;
    return said;
  }
  // The second text again and again, for as long as somebody reads.
  static Said and_then_for_ever(std::string text, std::string again) {
    Said said(std::move(text));
    said.again = std::move(again);
    return said;
  }

  std::string bytes;
  std::string again{};
  bool hangs_up = false;
};

}  // namespace tenure::test
