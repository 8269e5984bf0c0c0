#include "runtime/wire.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "redis/encode.hpp"

namespace tenure::runtime {

namespace {

using core::Applied;
using core::Failure;
using core::FailureCode;

}  // namespace

void Wire::dial() {
  generation_ += 1;
  dial_.emplace(address_, lookup_, dials_failed_);
}

tl::expected<bool, Failure> Wire::on_dialing() {
  auto result = dial_->step();
  if (!result) return tl::unexpected(result.error());
  if (!*result) return false;
  socket_ = std::move(**result);
  dial_.reset();
  dials_failed_ = 0;
  return true;
}

void Wire::say(const std::vector<redis::Command>& commands) {
  for (const auto& command : commands) redis::append_command(out_, command);
}

Wire::Result Wire::flush() {
  while (socket_ && written_ < out_.size()) {
    const auto sent =
        ::send(socket_.get(), out_.data() + written_, out_.size() - written_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      written_ += static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN) {
      return {};
    } else if (errno != EINTR) {
      return tl::unexpected(Failure{Applied::perhaps, FailureCode::closed, "the connection broke"});
    }
  }
  if (written_ == out_.size()) {
    out_.clear();
    written_ = 0;
  }
  return {};
}

Wire::Result Wire::read(std::vector<redis::Value>& values) {
  static thread_local std::array<char, 16384> bytes;
  const auto got = recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return {};
  if (got <= 0) {
    return tl::unexpected(Failure{Applied::perhaps, FailureCode::closed, "Redis closed the connection"});
  }
  reader_.feed({bytes.data(), static_cast<std::size_t>(got)});
  while (true) {
    auto value = reader_.next();
    if (!value) return tl::unexpected(Failure{Applied::perhaps, FailureCode::protocol, value.error()});
    if (!*value) return {};
    values.push_back(std::move(**value));
  }
}

bool Wire::stirred() const {
  char byte = 0;
  const auto got = recv(socket_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got >= 0 || (errno != EAGAIN && errno != EINTR);
}

void Wire::close() {
  reader_ = redis::Reader();
  if (dial_) dials_failed_ += 1;
  dial_.reset();
  socket_.reset();
  out_.clear();
  written_ = 0;
}

short Wire::events() const {
  if (dial_) return dial_->events();
  return static_cast<short>(POLLIN | (written_ < out_.size() ? POLLOUT : 0));
}

}  // namespace tenure::runtime
