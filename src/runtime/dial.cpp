#include "runtime/dial.hpp"

#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <thread>

namespace tenure::runtime {

namespace {

using core::Applied;
using core::FailureCode;

core::Failure unreachable(std::string detail) {
  return {Applied::no, FailureCode::unreachable, std::move(detail)};
}

std::string error_text(int error) {
  switch (error) {
    case ECONNREFUSED:
      return "connection refused";
    case ENOENT:
      return "there is no such socket";
    case EACCES:
      return "no permission to connect";
    case ETIMEDOUT:
      return "connecting timed out";
    default:
      return std::string("cannot connect: ") + std::generic_category().message(error);
  }
}

// Empty on success; a numeric address needs no look-up and cannot block.
std::string resolve(const redis::Address& address, int flags,
                    std::vector<std::pair<sockaddr_storage, socklen_t>>& found) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &list);
  if (error != 0) return gai_strerror(error);
  for (const addrinfo* it = list; it != nullptr; it = it->ai_next) {
    auto& [storage, length] = found.emplace_back();
    std::memcpy(&storage, it->ai_addr, it->ai_addrlen);
    length = it->ai_addrlen;
  }
  freeaddrinfo(list);
  return {};
}

}  // namespace

struct Dial::Lookup {
  Descriptor done{eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
  std::mutex mutex;
  bool ready = false;
  std::string error;
  std::vector<std::pair<sockaddr_storage, socklen_t>> found;
};

Dial::Dial(const redis::Address& address) {
  if (address.kind == redis::Address::Kind::tcp) {
    look_up(address);
    return;
  }
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  if (address.path.size() >= sizeof local.sun_path) {
    error_ = ENAMETOOLONG;
    return;
  }
  std::memcpy(local.sun_path, address.path.data(), address.path.size());
  Target target;
  target.length = sizeof local;
  std::memcpy(&target.address, &local, sizeof local);
  targets_.push_back(target);
  next_target();
}

// A name server that hangs must not hold up renewals, so that a name is looked up on a thread that
// nobody waits for.
void Dial::look_up(const redis::Address& address) {
  std::vector<std::pair<sockaddr_storage, socklen_t>> found;
  if (resolve(address, AI_NUMERICHOST, found).empty()) {
    for (const auto& [storage, length] : found) targets_.push_back({storage, length});
    next_target();
    return;
  }
  lookup_ = std::make_shared<Lookup>();
  std::thread([lookup = lookup_, address] {
    std::vector<std::pair<sockaddr_storage, socklen_t>> result;
    std::string error = resolve(address, 0, result);
    const std::lock_guard lock(lookup->mutex);
    lookup->found = std::move(result);
    lookup->error = std::move(error);
    lookup->ready = true;
    eventfd_write(lookup->done.get(), 1);
  }).detach();
}

bool Dial::next_target() {
  while (tried_ < targets_.size()) {
    const Target& target = targets_[tried_++];
    socket_.reset(socket(target.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket_) {
      error_ = errno;
      continue;
    }
    if (target.address.ss_family != AF_UNIX) {
      const int on = 1;
      setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    if (connect(socket_.get(), reinterpret_cast<const sockaddr*>(&target.address), target.length) == 0 ||
        errno == EINPROGRESS) {
      return true;
    }
    error_ = errno;
    socket_.reset();
  }
  return false;
}

tl::expected<std::optional<Descriptor>, core::Failure> Dial::step() {
  if (lookup_) {
    const std::lock_guard lock(lookup_->mutex);
    if (!lookup_->ready) return std::nullopt;
    if (!lookup_->error.empty())
      return tl::unexpected(unreachable("its name cannot be resolved: " + lookup_->error));
    for (const auto& [storage, length] : lookup_->found) targets_.push_back({storage, length});
  }
  if (lookup_) {
    lookup_.reset();
    next_target();
  }
  while (socket_) {
    pollfd ready{socket_.get(), POLLOUT, 0};
    if (poll(&ready, 1, 0) == 0) return std::nullopt;
    socklen_t size = sizeof error_;
    getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error_, &size);
    if (error_ == 0) return std::move(socket_);
    socket_.reset();
    next_target();
  }
  return tl::unexpected(unreachable(error_text(error_)));
}

int Dial::fd() const { return lookup_ ? lookup_->done.get() : socket_.get(); }

short Dial::events() const { return lookup_ ? POLLIN : POLLOUT; }

}  // namespace tenure::runtime
