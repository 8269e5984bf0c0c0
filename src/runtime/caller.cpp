#include "runtime/caller.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "redis/conversation.hpp"
#include "redis/encode.hpp"
#include "redis/failure.hpp"
#include "redis/reader.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/dial.hpp"

namespace tenure::runtime {

namespace {

using core::Applied;
using core::Failure;
using core::FailureCode;

// Waits for a descriptor, at most until the deadline.
bool wait_for(int fd, short events, core::Time deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - boot_now());
    if (left <= std::chrono::milliseconds::zero()) return false;
    pollfd ready{fd, events, 0};
    const int count = poll(&ready, 1, static_cast<int>(left.count()));
    if (count > 0) return true;
    if (count < 0 && errno != EINTR) return false;
  }
}

tl::unexpected<Failure> failed(FailureCode code, std::string detail, Applied applied = Applied::perhaps) {
  return tl::unexpected(Failure{applied, code, std::move(detail)});
}

}  // namespace

struct Caller::State {
  Descriptor socket;
  core::Duration timeout{};
  redis::Reader reader;

  tl::expected<redis::Value, Failure> call(const redis::Command& command) {
    if (!socket) return failed(FailureCode::closed, "the connection is closed", Applied::no);
    auto value = exchange(command, boot_now() + timeout);
    if (!value) {
      socket.reset();
      return value;
    }
    if (value->kind == redis::Value::Kind::error) return tl::unexpected(redis::classify(value->text));
    return value;
  }

 private:
  tl::expected<redis::Value, Failure> exchange(const redis::Command& command, core::Time deadline) {
    std::string bytes;
    redis::append_command(bytes, command);
    for (std::size_t written = 0; written < bytes.size();) {
      const auto sent = ::send(socket.get(), bytes.data() + written, bytes.size() - written, MSG_NOSIGNAL);
      if (sent >= 0) {
        written += static_cast<std::size_t>(sent);
      } else if (errno != EAGAIN && errno != EINTR) {
        return failed(FailureCode::closed, "the connection broke");
      } else if (!wait_for(socket.get(), POLLOUT, deadline)) {
        return failed(FailureCode::timed_out, "no answer in time");
      }
    }
    while (true) {
      auto value = reader.next();
      if (!value) return failed(FailureCode::protocol, value.error());
      if (*value) return std::move(**value);
      if (!wait_for(socket.get(), POLLIN, deadline))
        return failed(FailureCode::timed_out, "no answer in time");
      std::array<char, 4096> buffer{};
      const auto got = recv(socket.get(), buffer.data(), buffer.size(), 0);
      if (got == 0) return failed(FailureCode::closed, "Redis closed the connection");
      if (got > 0) reader.feed({buffer.data(), static_cast<std::size_t>(got)});
      if (got < 0 && errno != EAGAIN && errno != EINTR)
        return failed(FailureCode::closed, "the connection broke");
    }
  }
};

tl::expected<Caller, Failure> Caller::connect(const redis::Address& address, core::Duration timeout) {
  const core::Time deadline = boot_now() + timeout;
  Lookup lookup;
  Dial dial(address, lookup, 0);
  auto state = std::make_unique<State>();
  state->timeout = timeout;
  while (!state->socket) {
    auto connected = dial.step();
    if (!connected) return tl::unexpected(connected.error());
    if (*connected) {
      state->socket = std::move(**connected);
    } else if (!wait_for(dial.fd(), dial.events(), deadline)) {
      return failed(FailureCode::timed_out, "no connection in time", Applied::no);
    }
  }
  for (const auto& command : redis::greeting_commands({address.user, address.password, address.database})) {
    const auto answer = state->call(command);
    if (!answer) return tl::unexpected(answer.error());
  }
  return Caller(std::move(state));
}

tl::expected<redis::Value, Failure> Caller::call(const redis::Command& command) {
  return state_->call(command);
}

Caller::Caller(std::unique_ptr<State> state) : state_(std::move(state)) {}
Caller::~Caller() = default;
Caller::Caller(Caller&&) noexcept = default;
Caller& Caller::operator=(Caller&&) noexcept = default;

}  // namespace tenure::runtime
