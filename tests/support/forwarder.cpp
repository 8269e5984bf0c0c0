#include "support/forwarder.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace tenure::test {
namespace {

sockaddr_un unix_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw std::runtime_error(path + " is too long for a socket");
  path.copy(address.sun_path, path.size());
  return address;
}

void send_at_once(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

int connect_to(const std::string& target) {
  if (target.starts_with('/')) {
    const auto address = unix_address(target);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
    close(fd);
    return -1;
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(target)));
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  send_at_once(fd);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

// False when the connection is over. Tests send little: a peer that does not read is not provided for.
bool pass(int from, int to, std::size_t piece, std::string* record = nullptr) {
  std::array<char, 65536> block{};
  const auto got = recv(from, block.data(), block.size(), 0);
  if (got <= 0) return false;
  if (record != nullptr) record->append(block.data(), static_cast<std::size_t>(got));
  for (std::size_t sent = 0; sent < static_cast<std::size_t>(got);) {
    const auto count =
        send(to, block.data() + sent, std::min(piece, static_cast<std::size_t>(got) - sent), MSG_NOSIGNAL);
    if (count < 0) return false;
    sent += static_cast<std::size_t>(count);
    if (piece == 1 && sent < 16) std::this_thread::yield();  // so that somebody reads it
  }
  return true;
}

}  // namespace

Forwarder::Forwarder(std::string target, Listens listens)
    : kick_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), target_(std::move(target)) {
  if (listens == Listens::tcp) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      throw std::runtime_error("no free port on 127.0.0.1");
    }
    port_ = ntohs(address.sin_port);
  } else {
    std::string name = "/tmp/tenure-forward-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a directory under /tmp");
    directory_ = name;
    const auto address = unix_address(directory_ / "socket");
    listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      throw std::runtime_error("cannot listen in " + directory_.string());
    }
  }
  if (listen(listener_, 64) != 0) throw std::runtime_error("cannot listen");
  thread_ = std::thread([this] { run(); });
}

Forwarder::~Forwarder() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  eventfd_write(kick_, 1);
  thread_.join();
  break_all();
  close(listener_);
  close(kick_);
  std::error_code ignored;
  if (!directory_.empty()) std::filesystem::remove_all(directory_, ignored);
}

redis::Address Forwarder::address() const {
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

void Forwarder::point_at(std::string target) {
  {
    const std::lock_guard lock(mutex_);
    target_ = std::move(target);
    break_all();
  }
  eventfd_write(kick_, 1);
}

void Forwarder::hold() { change(State::holds); }
void Forwarder::hold_requests() { change(State::holds_requests); }
void Forwarder::hold_replies() { change(State::holds_replies); }
void Forwarder::cut() { change(State::cut); }
void Forwarder::mend() { change(State::passes); }

void Forwarder::change(State state) {
  {
    const std::lock_guard lock(mutex_);
    state_ = state;
    if (state == State::cut) break_all();
  }
  eventfd_write(kick_, 1);
}

// Bytes are passed under the lock: whoever has changed the state knows that nothing comes after it.
void Forwarder::run() {
  while (true) {
    std::vector<pollfd> fds{{kick_, POLLIN, 0}, {listener_, POLLIN, 0}};
    std::vector<Pair> polled;
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
      polled = pairs_;
      // The kernel passes over a number below zero.
      for (const Pair& pair : polled) {
        fds.push_back({requests_pass() ? pair.client : -1, POLLIN, 0});
        fds.push_back({replies_pass() ? pair.server : -1, POLLIN, 0});
      }
    }
    poll(fds.data(), fds.size(), -1);
    const std::lock_guard lock(mutex_);
    eventfd_t count = 0;
    eventfd_read(kick_, &count);
    if (fds[1].revents != 0) accept_one();
    for (std::size_t i = 0; i < polled.size(); ++i) {
      // It may have been broken meanwhile, and the kernel given its numbers away.
      const auto same = [&](const Pair& it) {
        return it.client == polled[i].client && it.server == polled[i].server;
      };
      const auto found = std::find_if(pairs_.begin(), pairs_.end(), same);
      if (found == pairs_.end()) continue;
      const bool asked = requests_pass() && fds[2 + 2 * i].revents != 0;
      const bool answered = replies_pass() && fds[3 + 2 * i].revents != 0;
      const bool up = !asked || pass(found->client, found->server, piece_, &records_[found->record]);
      const bool down = !answered || pass(found->server, found->client, piece_);
      if (up && down) continue;
      close(found->client);
      close(found->server);
      pairs_.erase(found);
    }
  }
}

void Forwarder::accept_one() {
  const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) return;
  if (port_ != 0) send_at_once(client);
  const int server = state_ == State::cut ? -1 : connect_to(target_);
  if (server < 0) {
    close(client);
    return;
  }
  pairs_.push_back({client, server, records_.size()});
  records_.emplace_back();
}

std::vector<std::string> Forwarder::recorded() {
  const std::lock_guard lock(mutex_);
  return records_;
}

void Forwarder::break_all() {
  for (const Pair& pair : pairs_) {
    close(pair.client);
    close(pair.server);
  }
  pairs_.clear();
}

}  // namespace tenure::test
