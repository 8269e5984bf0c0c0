// Bytes to and from one Redis without blocking: a dial, a connection, what is to be written, and values as they
// come. It knows nothing of what is said.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "core/message.hpp"
#include "redis/reader.hpp"
#include "redis/script_call.hpp"
#include "redis/url.hpp"
#include "runtime/net/dial.hpp"
#include "runtime/net/stream.hpp"

namespace tenure::runtime {

class Wire {
 public:
  // After an error it is to be closed; what was heard before the error counts.
  using Result = tl::expected<void, core::Failure>;

  Wire(const redis::Address& address, const Tls& tls) : address_(address), tls_(tls) {}

  // Begins to connect.
  void dial();
  // True once, when the connection stands.
  tl::expected<bool, core::Failure> on_dialing();
  bool idle() const { return !dial_ && !stream_; }
  bool dialing() const { return dial_.has_value(); }
  bool connected() const { return static_cast<bool>(stream_); }

  void say(const std::vector<redis::Command>& commands);
  // Writes what was said, as far as it goes.
  Result flush();
  // The values that have arrived, no more than a buffer or a record full at once.
  Result read(std::vector<redis::Value>& values);
  // Has the other side closed it, or said something, without being asked?
  bool stirred() { return stream_.stirred(); }
  void close();

  // What to poll for; fd -1 when there is nothing.
  int fd() const { return dial_ ? dial_->fd() : stream_.fd(); }
  short events() const;
  // Another number for every connection, because descriptors are used again by the kernel.
  std::uint64_t generation() const { return generation_; }

 private:
  const redis::Address& address_;  // both live as long as the engine
  const Tls& tls_;
  redis::Reader reader_;
  Lookup lookup_;
  std::optional<Dial> dial_;
  std::size_t dials_failed_ = 0;  // in a row
  Stream stream_;
  std::string out_;
  std::size_t written_ = 0;
  std::uint64_t generation_ = 0;
};

}  // namespace tenure::runtime
