#include "http_client/pool.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <new>

namespace tenure::http_client {

namespace {

constexpr long connections_max = 64;  // at once; further calls wait for one of them

CURLM* make_multi() {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  return ready == CURLE_OK ? curl_multi_init() : nullptr;
}

}  // namespace

Pool::Pool(runtime::ReadySet& ready) : ready_(ready), multi_(make_multi()) {
  if (!multi_) throw std::bad_alloc();
  curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &Pool::on_watch);
  curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_.get(), CURLMOPT_MAX_HOST_CONNECTIONS, connections_max);
  curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, connections_max);
}

bool Pool::add(Call& call) {
  if (curl_multi_add_handle(multi_.get(), call.handle()) != CURLM_OK) return false;
  ++calls_;
  on_timer();
  return true;
}

void Pool::remove(Call& call) {
  curl_multi_remove_handle(multi_.get(), call.handle());
  --calls_;
}

void Pool::on_socket(int socket) {
  int running = 0;
  // 0: libcurl looks itself what it is ready for.
  curl_multi_socket_action(multi_.get(), socket, 0, &running);
}

void Pool::on_timer() {
  int running = 0;
  curl_multi_socket_action(multi_.get(), CURL_SOCKET_TIMEOUT, 0, &running);
}

std::optional<core::Time> Pool::wake(core::Time now) const {
  // Asked each time, rather than told by a callback: that tells no change where there is none by a clock that stands still
  // while the machine sleeps.
  long milliseconds = -1;
  curl_multi_timeout(multi_.get(), &milliseconds);
  if (milliseconds < 0) return std::nullopt;
  return now + std::chrono::milliseconds(milliseconds);
}

std::vector<std::pair<Call*, CURLcode>> Pool::ended() {
  std::vector<std::pair<Call*, CURLcode>> ended;
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg == CURLMSG_DONE)
      ended.emplace_back(&Call::of(message->easy_handle), message->data.result);
  }
  return ended;
}

int Pool::on_watch(CURL* /*easy*/, curl_socket_t socket, int what, void* pool, void* /*unused*/) try {
  Pool& self = *static_cast<Pool*>(pool);
  const auto key = static_cast<runtime::ReadySet::Key>(socket);
  if (what == CURL_POLL_REMOVE) {
    self.sockets_.erase(socket);
    self.ready_.watch(key, {});
    return 0;
  }
  const bool reads = what == CURL_POLL_IN || what == CURL_POLL_INOUT;
  const bool writes = what == CURL_POLL_OUT || what == CURL_POLL_INOUT;
  self.sockets_.insert(socket);
  self.ready_.watch(
      key, {.fd = socket, .events = static_cast<short>((reads ? POLLIN : 0) | (writes ? POLLOUT : 0))}, true);
  return 0;
} catch (const std::bad_alloc&) {
  return -1;  // ends all that is under way
}

}  // namespace tenure::http_client
