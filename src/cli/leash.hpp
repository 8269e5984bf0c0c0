// What tenure and its watchdog say to each other: messages that arrive whole, in order, or not at all. Each sees
// the death of the other as the end of the line. Nobody ever waits for the other to listen.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cerrno>
#include <type_traits>
#include <utility>

#include "core/grant.hpp"
#include "core/time.hpp"
#include "runtime/descriptor.hpp"

namespace tenure::cli {

// From tenure to the watchdog.
struct Order {
  enum class Kind { start, guard, pass_on, tell_to_end, kill };

  Kind kind = Kind::kill;
  core::Time kill_at{};        // start, guard: what is left then is killed without being asked again
  core::Time start_by{};       // start: later it is not started
  core::Token token = 0;       // start
  core::Time deadline{};       // start
  bool lend_terminal = false;  // start
  int signal = 0;              // pass_on: to the command's group
};

// From the watchdog to tenure. How the command ended is told by the watchdog's exit code.
struct Report {
  enum class Kind { started, not_started, stopped, late, refused, stuck };

  Kind kind = Kind::late;
  // started: the command, which leads a group; refused: whom we may not kill; stuck: who was killed and stays
  pid_t pid = 0;
  int number = 0;  // not_started: errno, ETIME when it was too late; stopped: the signal
};

class Leash {
 public:
  enum class Heard { message, nothing, end };

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
  explicit Leash(int end) : end_(end) {}

  runtime::Descriptor end_;
};

}  // namespace tenure::cli
