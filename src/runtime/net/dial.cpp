#include "runtime/net/dial.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/net/connecting.hpp"

namespace tenure::runtime {

namespace {

core::Failure unreachable(std::string detail) {
  return {core::Applied::no, core::FailureCode::unreachable, std::move(detail)};
}

}  // namespace

Dial::Dial(Endpoint endpoint, const Tls& tls, Lookup& lookup, std::size_t first)
    : endpoint_(std::move(endpoint)), tls_(tls), lookup_(lookup), first_(first) {
  if (endpoint_.path.empty()) {
    looking_up_ = true;
    return;
  }
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  if (endpoint_.path.size() >= sizeof local.sun_path) {
    error_ = ENAMETOOLONG;
    return;
  }
  std::memcpy(local.sun_path, endpoint_.path.data(), endpoint_.path.size());
  SocketAddress target;
  target.length = sizeof local;
  std::memcpy(&target.storage, &local, sizeof local);
  set_targets({target});
}

void Dial::set_targets(std::vector<SocketAddress> targets) {
  targets_ = std::move(targets);
  if (!targets_.empty()) {
    std::ranges::rotate(targets_, targets_.begin() + static_cast<std::ptrdiff_t>(first_ % targets_.size()));
  }
  next_target();
}

void Dial::next_target() {
  while (tried_ < targets_.size()) {
    const SocketAddress& target = targets_[tried_++];
    socket_.reset(socket(target.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (socket_ && target.storage.ss_family != AF_UNIX) {
      const int on = 1;
      setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      notice_dead_peer(socket_.get());
    }
    const auto* where = reinterpret_cast<const sockaddr*>(&target.storage);
    if (socket_ && (connect(socket_.get(), where, target.length) == 0 || errno == EINPROGRESS)) return;
    error_ = errno;
    socket_.reset();
  }
}

bool Dial::connected() {
  while (socket_) {
    pollfd ready{socket_.get(), POLLOUT, 0};
    if (poll(&ready, 1, 0) == 0) return false;
    socklen_t size = sizeof error_;
    getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error_, &size);
    if (error_ == 0) return true;
    socket_.reset();
    next_target();
  }
  return false;
}

tl::expected<std::optional<Stream>, core::Failure> Dial::step() {
  if (looking_up_) {
    auto found = lookup_.find(endpoint_);
    if (!found) return std::nullopt;
    if (!*found) return tl::unexpected(unreachable("its name cannot be resolved: " + found->error()));
    looking_up_ = false;
    set_targets(std::move(**found));
  }
  if (!session_) {
    if (!connected()) {
      if (socket_) return std::nullopt;
      return tl::unexpected(unreachable(connect_text(error_)));
    }
    if (!endpoint_.tls) return Stream(std::move(socket_));
    session_.emplace(tls_, endpoint_.host, socket_.get());
  }
  const auto secure = session_->shake_hands();
  if (!secure) return tl::unexpected(secure.error());
  if (!*secure) return std::nullopt;
  return Stream(std::move(socket_), std::exchange(session_, std::nullopt));
}

int Dial::fd() const { return looking_up_ ? lookup_.fd() : socket_.get(); }

short Dial::events() const {
  if (session_) return session_->events_to_shake_hands();
  return looking_up_ ? POLLIN : POLLOUT;
}

}  // namespace tenure::runtime
