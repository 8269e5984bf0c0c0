// Turns the bytes of a connection into values, however they were cut on the way.
// What is not RESP2, or larger than the limits, is a failure for good: close the connection. Memory
// stays within the limits whatever the other side sends, as long as next() is drained between feeds.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "redis/value.hpp"

namespace tenure::redis {

class Reader {
 public:
  // All of them count over one whole value, with everything nested in it.
  struct Limits {
    std::size_t text = std::size_t{16} << 20;  // bytes in strings, statuses and errors
    std::size_t elements = 100'000;            // of all arrays together
    std::size_t line = std::size_t{64} << 10;  // bytes of a status or an error
  };

  Reader();
  explicit Reader(Limits limits);
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  void feed(std::string_view bytes);

  // The next value, nothing while it is incomplete, or what is wrong with the bytes.
  tl::expected<std::optional<Value>, std::string> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tenure::redis
