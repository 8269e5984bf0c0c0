#include "support/fake_server.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <map>
#include <stdexcept>
#include <utility>

#include "redis/reader.hpp"

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
      listen(listener_, 16) != 0) {
    throw std::runtime_error("cannot listen in " + name);
  }
  thread_ = std::thread([this] { run(); });
}

FakeServer::~FakeServer() {
  eventfd_write(stop_, 1);
  thread_.join();
  close(listener_);
  close(stop_);
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

redis::Address FakeServer::address() const {
  redis::Address address;
  address.kind = redis::Address::Kind::unix_socket;
  address.path = directory_ / "socket";
  return address;
}

void FakeServer::run() {
  std::map<int, redis::Reader> clients;
  // Commands are arrays of strings, which the reader of replies can read.
  const auto serve = [&](int fd, redis::Reader& reader) {
    std::array<char, 65536> block{};
    const auto got = recv(fd, block.data(), block.size(), 0);
    if (got <= 0) return false;
    reader.feed({block.data(), static_cast<std::size_t>(got)});
    while (true) {
      const auto value = reader.next();
      if (!value) return false;
      if (!*value) return true;
      std::vector<std::string> command;
      for (const auto& item : (*value)->items) command.push_back(item.text);
      const std::string bytes = answer_(command);
      if (send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) return false;
    }
  };
  while (true) {
    std::vector<pollfd> fds{{stop_, POLLIN, 0}, {listener_, POLLIN, 0}};
    for (const auto& [fd, reader] : clients) fds.push_back({fd, POLLIN, 0});
    poll(fds.data(), fds.size(), -1);
    for (std::size_t i = 2; i < fds.size(); ++i) {
      if (fds[i].revents == 0 || serve(fds[i].fd, clients.at(fds[i].fd))) continue;
      clients.erase(fds[i].fd);
      close(fds[i].fd);
    }
    if (fds[1].revents != 0) {
      const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client >= 0) clients.emplace(client, redis::Reader());
    }
    if (fds[0].revents != 0) break;
  }
  for (const auto& [fd, reader] : clients) close(fd);
}

}  // namespace tenure::test
