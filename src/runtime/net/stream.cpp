#include "runtime/net/stream.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace tenure::runtime {

namespace {

tl::unexpected<core::Failure> closed(const char* detail) {
  return tl::unexpected(core::Failure{core::Applied::perhaps, core::FailureCode::closed, detail});
}

}  // namespace

Stream::Stream(Descriptor socket, std::optional<TlsSession> tls)
    : socket_(std::move(socket)), tls_(std::move(tls)) {}

Stream& Stream::operator=(Stream&& other) noexcept {
  close();
  socket_ = std::move(other.socket_);
  tls_ = std::exchange(other.tls_, std::nullopt);
  return *this;
}

tl::expected<std::size_t, core::Failure> Stream::send(std::string_view bytes) {
  if (tls_) return tls_->send(bytes);
  while (true) {
    const auto sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) return static_cast<std::size_t>(sent);
    if (errno == EAGAIN) return 0;
    if (errno != EINTR) return closed("the connection broke");
  }
}

tl::expected<std::size_t, core::Failure> Stream::receive(std::span<char> buffer) {
  if (tls_) return tls_->receive(buffer);
  const auto got = recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (got > 0) return static_cast<std::size_t>(got);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return 0;
  return closed("the server closed the connection");
}

bool Stream::stirred() {
  if (tls_) return tls_->stirred();
  char byte = 0;
  const auto got = recv(socket_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got >= 0 || (errno != EAGAIN && errno != EINTR);
}

void Stream::close() {
  tls_.reset();
  socket_.reset();
}

short Stream::events_to_send() const { return tls_ ? tls_->events_to_send() : POLLOUT; }
short Stream::events_to_receive() const { return tls_ ? tls_->events_to_receive() : POLLIN; }

}  // namespace tenure::runtime
