#include "support/redis_connection.hpp"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "redis/encode.hpp"

namespace tenure::test {
namespace {

[[noreturn]] void fail(const std::string& what, int error) {
  throw std::runtime_error(what + ": " + std::generic_category().message(error));
}

}  // namespace

RedisConnection::RedisConnection(const std::string& socket_path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.size() >= sizeof address.sun_path) fail(socket_path, ENAMETOOLONG);
  socket_path.copy(address.sun_path, socket_path.size());
  socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) fail("socket", errno);
  const timeval patience{.tv_sec = 5, .tv_usec = 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    close(socket_);
    fail("connect to " + socket_path, error);
  }
}

RedisConnection::~RedisConnection() { close(socket_); }

redis::Value RedisConnection::command(const std::vector<std::string>& args) {
  send(args);
  return receive();
}

void RedisConnection::send(const std::vector<std::string>& args) {
  std::string bytes;
  redis::append_command(bytes, args);
  for (std::size_t sent = 0; sent < bytes.size();) {
    const auto count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("send to Redis", errno);
    sent += static_cast<std::size_t>(count);
  }
}

redis::Value RedisConnection::receive() {
  std::array<char, 16384> block{};
  while (true) {
    auto value = reader_.next();
    if (!value) throw std::runtime_error(value.error());
    if (*value) return std::move(**value);
    const auto count = recv(socket_, block.data(), block.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("receive from Redis", errno);
    if (count == 0) throw std::runtime_error("Redis closed the connection");
    reader_.feed({block.data(), static_cast<std::size_t>(count)});
  }
}

bool RedisConnection::closed() const {
  char byte = 0;
  return recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

}  // namespace tenure::test
