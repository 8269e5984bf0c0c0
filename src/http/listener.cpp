#include "http/listener.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>

namespace tenure::http {

namespace {

// More than a server lets in at a time: the rest wait in the kernel.
constexpr int backlog = 256;

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

SocketAddress to_socket_address(const ListenAddress& address) {
  SocketAddress result;
  if (address.v6()) {
    auto* const v6 = reinterpret_cast<sockaddr_in6*>(&result.storage);
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(address.port);
    inet_pton(AF_INET6, address.ip.c_str(), &v6->sin6_addr);
    result.size = sizeof *v6;
  } else {
    auto* const v4 = reinterpret_cast<sockaddr_in*>(&result.storage);
    v4->sin_family = AF_INET;
    v4->sin_port = htons(address.port);
    inet_pton(AF_INET, address.ip.c_str(), &v4->sin_addr);
    result.size = sizeof *v4;
  }
  return result;
}

std::uint16_t port_of(const runtime::Descriptor& socket) {
  SocketAddress bound;
  bound.size = sizeof bound.storage;
  if (getsockname(socket.get(), bound.get(), &bound.size) != 0) return 0;
  return ntohs(bound.storage.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6*>(&bound.storage)->sin6_port
                   : reinterpret_cast<const sockaddr_in*>(&bound.storage)->sin_port);
}

tl::unexpected<ListenError> failed(int error, const ListenAddress& address) {
  using enum ListenError::Code;
  const std::string where = "cannot listen on " + address.text() + ": ";
  switch (error) {
    case EADDRINUSE:
      return tl::unexpected(ListenError{taken, where + "another process listens there"});
    case EACCES:
    case EPERM:
      return tl::unexpected(ListenError{
          not_permitted, where + "this user may not use that port; those from 1024 on are free to all"});
    case EADDRNOTAVAIL:
    case EAFNOSUPPORT:
      return tl::unexpected(ListenError{no_address, where + "this machine does not have that address"});
    default:
      return tl::unexpected(ListenError{system, where + std::generic_category().message(error)});
  }
}

}  // namespace

tl::expected<Listener, ListenError> Listener::open(const ListenAddress& address) {
  runtime::Descriptor socket(
      ::socket(address.v6() ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return failed(errno, address);
  const int yes = 1;
  // Connections of a process that has just ended keep nobody from the port; one that listens still does.
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  auto where = to_socket_address(address);
  if (bind(socket.get(), where.get(), where.size) != 0) return failed(errno, address);
  if (listen(socket.get(), backlog) != 0) return failed(errno, address);
  ListenAddress bound = address;
  bound.port = port_of(socket);
  return Listener(std::move(socket), std::move(bound));
}

}  // namespace tenure::http
