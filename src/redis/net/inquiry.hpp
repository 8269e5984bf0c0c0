// Connects to a server and asks it a few commands at once, without blocking. What becomes of the connection then is for others
// to say.
#pragma once

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

namespace tenure::redis {

class Inquiry {
 public:
  // TLS and look-up live longer than this.
  Inquiry(const HostPort& where, const Address& address, const runtime::Tls& tls, runtime::Lookup& lookup,
          const std::vector<Command>& commands);

  // One answer for each command, errors of the server among them; not yet; or why there is none. To be called when fd() is
  // ready for events(), and no more after it has given the answers or an error.
  tl::expected<std::optional<std::vector<Value>>, core::Failure> step();
  int fd() const { return stream_ ? stream_.fd() : dial_.fd(); }
  short events() const;

  // The connection, when it has answered.
  runtime::Stream take() { return std::move(stream_); }

 private:
  tl::expected<bool, core::Failure> read();

  runtime::Dial dial_;
  runtime::Stream stream_;
  Reader reader_;
  std::string out_;
  std::size_t written_ = 0;
  std::size_t wanted_ = 0;
  std::vector<Value> answers_;
};

}  // namespace tenure::redis
