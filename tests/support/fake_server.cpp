#include "support/fake_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <map>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace tenure::test {

FakeServer::FakeServer(Answer answer)
    : answer_(std::move(answer)), stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  std::string name = "/tmp/tenure-fake-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a directory under /tmp");
  directory_ = name;
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  address().path.copy(where.sun_path, sizeof where.sun_path - 1);
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(listener_, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0 ||
      listen(listener_, 64) != 0) {
    throw std::runtime_error("cannot listen in " + name);
  }
  thread_ = std::thread([this] { run(); });
}

FakeServer::FakeServer(Said to_anything)
    : answer_([said = std::move(to_anything)](const auto&) { return said; }),
      stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof where;
  if (bind(listener_, reinterpret_cast<sockaddr*>(&where), size) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&where), &size) != 0 || listen(listener_, 64) != 0) {
    throw std::runtime_error("no free port on 127.0.0.1");
  }
  port_ = ntohs(where.sin_port);
  thread_ = std::thread([this] { run(); });
}

FakeServer::~FakeServer() {
  eventfd_write(stop_, 1);
  thread_.join();
  close(listener_);
  close(stop_);
  std::error_code ignored;
  if (!directory_.empty()) std::filesystem::remove_all(directory_, ignored);
}

redis::Address FakeServer::address() const {
  redis::Address address;
  if (port_ != 0) {
    address.host = "127.0.0.1";
    address.port = port_;
  } else {
    address.kind = redis::Address::Kind::unix_socket;
    address.path = directory_ / "socket";
  }
  return address;
}

std::string FakeServer::heard() const {
  const std::lock_guard lock(mutex_);
  return heard_;
}

// Tests let it say little at once: only what has no end is said by and by.
bool FakeServer::say(const Said& said, int fd, Guest& guest) {
  if (send(fd, said.bytes.data(), said.bytes.size(), MSG_NOSIGNAL) < 0) return false;
  guest.again = said.again;
  return !said.hangs_up;
}

bool FakeServer::go_on(int fd, Guest& guest) {
  const auto rest = std::string_view(guest.again).substr(guest.said_of_again);
  const auto sent = send(fd, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0) return errno == EAGAIN;
  guest.said_of_again = (guest.said_of_again + static_cast<std::size_t>(sent)) % guest.again.size();
  return true;
}

bool FakeServer::listen_to(std::string_view bytes, int fd, Guest& guest) {
  if (port_ != 0) {
    const std::lock_guard lock(mutex_);
    heard_ += bytes;
    return !guest.again.empty() || say(answer_({}), fd, guest);
  }
  // Commands are arrays of strings, which the reader of replies can read.
  guest.reader.feed(bytes);
  while (true) {
    const auto value = guest.reader.next();
    if (!value) return false;
    if (!*value) return true;
    std::vector<std::string> command;
    for (const auto& item : (*value)->items) command.push_back(item.text);
    if (!say(answer_(command), fd, guest)) return false;
  }
}

bool FakeServer::serve(int fd, Guest& guest) {
  std::array<char, 65536> block{};
  const auto got = recv(fd, block.data(), block.size(), 0);
  return got > 0 && listen_to({block.data(), static_cast<std::size_t>(got)}, fd, guest);
}

void FakeServer::run() {
  std::map<int, Guest> guests;
  while (true) {
    std::vector<pollfd> fds{{stop_, POLLIN, 0}, {listener_, POLLIN, 0}};
    for (const auto& [fd, guest] : guests) {
      fds.push_back({fd, static_cast<short>(guest.again.empty() ? POLLIN : POLLIN | POLLOUT), 0});
    }
    poll(fds.data(), fds.size(), -1);
    for (std::size_t i = 2; i < fds.size(); ++i) {
      Guest& guest = guests.at(fds[i].fd);
      const bool asked = (fds[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
      if (asked ? serve(fds[i].fd, guest) : fds[i].revents == 0 || go_on(fds[i].fd, guest)) continue;
      guests.erase(fds[i].fd);
      close(fds[i].fd);
    }
    if (fds[1].revents != 0) {
      const int guest = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (guest >= 0) guests.try_emplace(guest);
    }
    if (fds[0].revents != 0) break;
  }
  for (const auto& [fd, guest] : guests) close(fd);
}

}  // namespace tenure::test
