#include "runtime/net/lookup.hpp"

#include <netdb.h>
#include <sys/eventfd.h>

#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/net/event_descriptor.hpp"

namespace tenure::runtime {

namespace {

Lookup::Found resolve(const Endpoint& endpoint, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &list);
  if (error != 0) return tl::unexpected(std::string(gai_strerror(error)));
  std::vector<SocketAddress> found;
  for (const addrinfo* it = list; it != nullptr; it = it->ai_next) {
    SocketAddress& target = found.emplace_back();
    std::memcpy(&target.storage, it->ai_addr, it->ai_addrlen);
    target.length = it->ai_addrlen;
  }
  freeaddrinfo(list);
  return found;
}

}  // namespace

struct Lookup::Shared {
  Descriptor done = make_event_descriptor();
  std::mutex mutex;
  std::optional<Found> found;
};

std::optional<Lookup::Found> Lookup::find(const Endpoint& endpoint) {
  if (shared_) {
    const std::lock_guard lock(shared_->mutex);
    if (!shared_->found) return std::nullopt;
  }
  if (shared_) return std::exchange(shared_, nullptr)->found;
  // Numbers need nobody's help, and cannot block.
  if (auto numeric = resolve(endpoint, AI_NUMERICHOST)) return numeric;
  try {
    shared_ = std::make_shared<Shared>();
    std::thread([shared = shared_, endpoint] {
      Found found = resolve(endpoint, 0);
      const std::lock_guard lock(shared->mutex);
      shared->found = std::move(found);
      eventfd_write(shared->done.get(), 1);
    }).detach();
  } catch (const std::system_error& error) {
    shared_.reset();
    return Found(tl::unexpected(std::string("this machine refuses: ") + error.what()));
  }
  return std::nullopt;
}

int Lookup::fd() const { return shared_ ? shared_->done.get() : -1; }

}  // namespace tenure::runtime
