// Bytes to and from one Redis without blocking: a dial, a connection, what is to be written, and values as they
// come. It knows nothing of what is said.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "core/base/time.hpp"
#include "core/message.hpp"
#include "redis/net/redis_dial.hpp"
#include "redis/reader.hpp"
#include "redis/script_call.hpp"
#include "redis/url.hpp"
#include "runtime/net/stream.hpp"
#include "runtime/store/connection.hpp"

namespace tenure::redis {

class Wire {
 public:
  // After an error it is to be closed; what was heard before the error counts.
  using Result = tl::expected<void, core::Failure>;

  // Both live longer than this. The patience is that of what is asked over it.
  Wire(const Address& address, const runtime::Tls& tls, core::Duration patience)
      : address_(address), tls_(tls), patience_(patience) {}

  // Begins to connect.
  void dial();
  // The same, for a connection on which nothing is under way: it is kept until another one stands. Whoever waits is to have half of
  // its patience left if no Sentinel says anything.
  void dial_anew();
  // After dialling anew has failed: goes on with the connection that was kept. False: it has ended, or Sentinels name a server that
  // is out of reach, so that nobody knows whether it is still the master.
  bool go_back();
  // True once, when the connection stands.
  tl::expected<bool, core::Failure> on_dialing();
  bool idle() const { return !dial_ && !stream_; }
  bool dialing() const { return dial_.has_value(); }
  bool connected() const { return static_cast<bool>(stream_); }
  // All that was said has been written.
  bool drained() const { return written_ == out_.size(); }

  void say(const std::vector<Command>& commands);
  // Writes what was said, as far as it goes.
  Result flush();
  // The values that have arrived, no more than a buffer or a record full at once.
  Result read(std::vector<Value>& values);
  // Has the other side closed it, or said something, without being asked?
  bool stirred() { return stream_.stirred(); }
  void close();

  runtime::Awaited awaited() const;

 private:
  const Address& address_;
  const runtime::Tls& tls_;
  core::Duration patience_;
  Reader reader_;
  Lookups lookups_;
  std::optional<RedisDial> dial_;
  std::size_t dials_failed_ = 0;  // in a row
  runtime::Stream stream_;
  runtime::Stream kept_;  // while it is dialled anew
  Reader kept_reader_;    // with what came over that one
  std::string out_;
  std::size_t written_ = 0;
  std::uint64_t connection_ = 0;
};

}  // namespace tenure::redis
