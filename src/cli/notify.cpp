#include "cli/notify.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>

#include "core/base/number.hpp"
#include "core/base/text.hpp"

namespace tenure::cli {

namespace {

std::string taken_from_environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): there are no threads yet
  std::string text = value == nullptr ? "" : value;
  unsetenv(name);  // NOLINT(concurrency-mt-unsafe)
  return text;
}

// At least a millisecond, so that nobody spins.
std::optional<std::chrono::milliseconds> half_of(const std::string& microseconds) {
  const auto number = core::read_number<std::int64_t>(microseconds);
  if (!number || *number <= 0) return std::nullopt;
  return std::chrono::milliseconds(std::max<std::int64_t>(1, *number / 2'000));
}

}  // namespace

Notify::Notify() : address_(taken_from_environment("NOTIFY_SOCKET")) {
  const std::string microseconds = taken_from_environment("WATCHDOG_USEC");
  const std::string pid = taken_from_environment("WATCHDOG_PID");
  if (address_.empty() || (address_[0] != '/' && address_[0] != '@')) return;
  if (address_.size() >= sizeof(sockaddr_un::sun_path)) return;
  if (address_[0] == '@') address_[0] = '\0';
  socket_.reset(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (pid.empty() || core::read_number<pid_t>(pid) == getpid()) beat_every_ = half_of(microseconds);
}

void Notify::ready(std::string_view status) const {
  send("READY=1\nSTATUS=" + core::printable(std::string(status)));
}
void Notify::status(std::string_view status) const { send("STATUS=" + core::printable(std::string(status))); }
void Notify::stopping() const { send("STOPPING=1"); }

void Notify::beat() const {
  if (beat_every_) send("WATCHDOG=1");
}

int Notify::at_most(int milliseconds) const {
  if (!beat_every_) return milliseconds;
  const auto most =
      static_cast<int>(std::min<std::int64_t>(beat_every_->count(), std::numeric_limits<int>::max()));
  return milliseconds < 0 ? most : std::min(milliseconds, most);
}

void Notify::send(const std::string& message) const {
  if (!socket_) return;
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::ranges::copy(address_, std::begin(to.sun_path));
  // An abstract address ends where its length says, one in the file system with a zero.
  const auto length = offsetof(sockaddr_un, sun_path) + address_.size() + (address_[0] == '\0' ? 0 : 1);
  [[maybe_unused]] const auto sent =
      ::sendto(socket_.get(), message.data(), message.size(), MSG_NOSIGNAL,
               reinterpret_cast<const sockaddr*>(&to), static_cast<socklen_t>(length));
}

}  // namespace tenure::cli
