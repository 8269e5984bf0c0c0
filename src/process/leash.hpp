// Between a process and its watchdog: messages that arrive whole, in order, or not at all. Each sees the death of the other
// as the end of the line. Nobody ever waits for the other to listen.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cerrno>
#include <type_traits>
#include <utility>

#include "runtime/net/descriptor.hpp"

namespace tenure::process {

class Leash {
 public:
  enum class Heard { message, nothing, end };

  Leash() = default;  // no end
  explicit Leash(runtime::Descriptor end) : end_(std::move(end)) {}
  // Both ends. Throws std::system_error.
  static std::pair<Leash, Leash> make();

  int fd() const { return end_.get(); }
  void let_go() { end_.reset(); }

  template <class Message>
  void say(const Message& message) const {
    static_assert(std::is_trivially_copyable_v<Message>);
    // Lost only when hundreds lie there unread: whoever does not listen has not much to be told.
    [[maybe_unused]] const auto sent = ::send(fd(), &message, sizeof message, MSG_DONTWAIT | MSG_NOSIGNAL);
  }

  template <class Message>
  Heard hear(Message& message) const {
    static_assert(std::is_trivially_copyable_v<Message>);
    auto got = ::recv(fd(), &message, sizeof message, MSG_DONTWAIT);
    // Said once, when the other ended with words of ours unread. Its own last words lie behind that.
    if (got < 0 && errno == ECONNRESET) got = ::recv(fd(), &message, sizeof message, MSG_DONTWAIT);
    if (got == static_cast<ssize_t>(sizeof message)) return Heard::message;
    return got < 0 && (errno == EAGAIN || errno == EINTR) ? Heard::nothing : Heard::end;
  }

 private:
  runtime::Descriptor end_;
};

}  // namespace tenure::process
