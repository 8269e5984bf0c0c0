#include "runtime/net/connecting.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>

namespace tenure::runtime {

void notice_dead_peer(int socket) {
  const int on = 1;
  const int idle_seconds = 10;
  const int between_seconds = 3;
  const int times = 3;
  setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle_seconds, sizeof idle_seconds);
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &between_seconds, sizeof between_seconds);
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
}

std::string connect_text(int error) {
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
      return "cannot connect: " + std::generic_category().message(error);
  }
}

}  // namespace tenure::runtime
