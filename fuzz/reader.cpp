// The bytes of a connection, cut as the input says, in single bytes, and whole: always the same values, within the
// limits. The first byte, a digit, says how the rest is cut: pieces of so many bytes, in turn with single ones.
#include "redis/reader.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/check.hpp"
#include "fuzz/target.hpp"

namespace tenure::fuzz {

namespace {

using core::must;
using redis::Reader;
using redis::Value;

// Small, so that inputs of some hundred bytes reach them; room for 4,096 bytes at once is left all the same.
constexpr Reader::Limits limits{.text = 200, .elements = 150, .line = 60};

struct Size {
  std::size_t text = 0;
  std::size_t elements = 0;
};

Size size_of(const Value& value) {
  Size size{value.text.size(), value.items.size()};
  for (const Value& item : value.items) {
    const Size inner = size_of(item);
    size.text += inner.text;
    size.elements += inner.elements;
  }
  return size;
}

struct Reading {
  std::vector<Value> values;
  bool failed = false;

  bool operator==(const Reading&) const = default;
};

template <class LengthOfNext>
Reading read(std::string_view bytes, LengthOfNext&& length_of_next) {
  Reader reader(limits);
  Reading reading;
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, std::max<std::size_t>(length_of_next(), 1));
    bytes.remove_prefix(piece.size());
    reader.feed(piece);
    while (true) {
      auto next = reader.next();
      if (!next) {
        reading.failed = true;
        must(!reader.next(), "a failure is for good");
        return reading;
      }
      if (!*next) break;
      const Size size = size_of(**next);
      must(size.text <= limits.text && size.elements <= limits.elements, "a value keeps to the limits");
      reading.values.push_back(std::move(**next));
    }
  }
  return reading;
}

}  // namespace

void try_input(std::string_view input) {
  if (input.empty() || input.size() > 4096) return;
  const auto cut = static_cast<unsigned char>(input.front()) % 16U;  // a digit is its number
  const std::string_view bytes = input.substr(1);

  bool single = false;
  const Reading as_told = read(bytes, [&]() -> std::size_t {
    single = !single;
    return single ? 1 : cut;
  });
  must(read(bytes, [] { return std::size_t{1}; }) == as_told, "single bytes are read as pieces are");
  must(read(bytes, [&] { return bytes.size(); }) == as_told, "all at once is read as pieces are");
}

}  // namespace tenure::fuzz
