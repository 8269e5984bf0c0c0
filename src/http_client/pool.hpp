// Connections that calls share: one multi handle of libcurl, which is told what its sockets are ready for.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/base/time.hpp"
#include "http_client/call.hpp"
#include "http_client/curl.hpp"
#include "runtime/net/ready_set.hpp"

namespace tenure::http_client {

class Pool {
 public:
  // Its sockets are watched there under their own numbers. Throws std::bad_alloc.
  explicit Pool(runtime::ReadySet& ready);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // It begins. The call stays the caller's, and must be removed before it goes.
  bool add(Call& call);
  void remove(Call& call);
  std::size_t calls() const { return calls_; }

  bool owns(int socket) const { return sockets_.contains(socket); }
  void on_socket(int socket);
  void on_timer();
  // When on_timer() is due, if at all.
  std::optional<core::Time> wake(core::Time now) const;
  // What has ended, and how. It is still to be removed.
  std::vector<std::pair<Call*, CURLcode>> ended();

  // No further call is to begin here: see HttpCalls::Machinery::end.
  bool retired = false;

 private:
  static int on_watch(CURL* easy, curl_socket_t socket, int what, void* pool, void* unused);

  runtime::ReadySet& ready_;
  std::set<int> sockets_{};
  std::size_t calls_ = 0;
  Multi multi_;  // goes first: it lets go of sockets
};

}  // namespace tenure::http_client
