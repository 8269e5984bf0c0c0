#include "http_target/http_target.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <list>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "http_target/http_request.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/net/descriptor.hpp"

namespace tenure::http_target {

namespace {

using runtime::boot_now;
using runtime::Descriptor;

constexpr std::size_t request_max = 65'536;
constexpr std::chrono::milliseconds trickle_every{100};

std::string head(int status, const std::string& fields) {
  return "HTTP/1.1 " + std::to_string(status) + " said the target\r\n" + fields + "\r\n";
}

std::string whole(int status, const std::string& body) {
  return head(status, "Content-Length: " + std::to_string(body.size()) + "\r\n") + body;
}

// One visitor, and the visit under way, if one is.
struct Connection {
  Descriptor socket;
  std::string in{};
  std::optional<std::size_t> visit{};  // its place in the log
  std::string out{};                   // what is left to be sent now
  std::uint64_t filler = 0;            // and so many bytes of no meaning behind it
  std::optional<core::Time> then{};    // when more is to be sent
  bool trickles = false;
  bool silent = false;  // it will never be answered
  bool close = false;   // once all is sent

  bool sending() const { return !out.empty() || filler > 0; }
  bool done() const { return visit && !sending() && !then && !trickles && !silent; }
};

// By what the path asks for.
void answer(Connection& visitor, const HttpRequest& request) {
  const auto [word, number] = request.wish();
  if (word == "hang") {
    visitor.silent = true;
  } else if (word == "slow") {
    visitor.then = boot_now() + std::chrono::milliseconds(number);
    visitor.out.clear();
  } else if (word == "redirect") {
    visitor.out = head(302, "Location: " + request.path + "\r\nContent-Length: 0\r\n");
  } else if (word == "file") {
    visitor.out = head(302, "Location: file:///etc/hostname\r\nContent-Length: 0\r\n");
  } else if (word == "status") {
    visitor.out = whole(static_cast<int>(number), "as asked\n");
  } else if (word == "huge" || word == "stream") {
    visitor.close = true;
    visitor.filler = number;
    visitor.out = head(200, word == "huge" ? "Content-Length: " + std::to_string(number) + "\r\n" : "");
  } else if (word == "trickle") {
    visitor.trickles = true;
    visitor.then = boot_now();
    visitor.out = head(200, "");
  } else {
    visitor.out = whole(200, "hello " + request.session + "\n");
  }
}

}  // namespace

struct HttpTarget::State {
  Descriptor listener;
  Descriptor stop;
  std::uint16_t port = 0;
  std::function<void(const Visit&)> on_visit;
  mutable std::mutex mutex;
  std::vector<Visit> visits;
  std::list<Connection> connections;
  std::thread thread;

  void run() {
    while (true) {
      std::vector<pollfd> waits{{stop.get(), POLLIN, 0}, {listener.get(), POLLIN, 0}};
      std::optional<core::Time> wake;
      for (const auto& visitor : connections) {
        waits.push_back(
            {visitor.socket.get(), static_cast<short>(POLLIN | (visitor.sending() ? POLLOUT : 0)), 0});
        wake = core::sooner(wake, visitor.then);
      }
      const auto left = wake ? std::chrono::ceil<std::chrono::milliseconds>(*wake - boot_now()).count() : -1;
      if (::poll(waits.data(), waits.size(), wake ? static_cast<int>(std::max<long>(left, 0)) : -1) < 0)
        continue;
      if (waits[0].revents != 0) return;
      auto ready = waits.begin() + 2;
      for (auto visitor = connections.begin(); visitor != connections.end(); ++ready) {
        if (serve(*visitor, ready->revents)) {
          ++visitor;
        } else {
          end(*visitor, false);
          visitor = connections.erase(visitor);
        }
      }
      if (waits[1].revents != 0) accept_one();
    }
  }

  void accept_one() {
    Connection visitor{Descriptor(accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC))};
    if (!visitor.socket) return;
    const int yes = 1;
    setsockopt(visitor.socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    connections.push_back(std::move(visitor));
  }

  // False: the visitor has left, or is to leave.
  bool serve(Connection& visitor, short events) {
    if ((events & (POLLIN | POLLHUP | POLLERR)) != 0 && !hear(visitor)) return false;
    if (!visitor.visit && !begin(visitor)) return false;
    if (visitor.then && *visitor.then <= boot_now()) {
      visitor.out += visitor.trickles ? "." : whole(200, "at last\n");
      visitor.then.reset();
      if (visitor.trickles) visitor.then = boot_now() + trickle_every;
    }
    if (visitor.sending() && !send(visitor)) return false;
    if (!visitor.done()) return true;
    end(visitor, true);
    return !visitor.close && begin(visitor);
  }

  static bool hear(Connection& visitor) {
    std::array<char, 4096> buffer{};
    const auto got = recv(visitor.socket.get(), buffer.data(), buffer.size(), 0);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    visitor.in.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0 && visitor.in.size() <= request_max;
  }

  // The next request, if it is there. False: it is none.
  bool begin(Connection& visitor) {
    const auto length = HttpRequest::length(visitor.in);
    if (length == 0) return true;
    const auto request = HttpRequest::read(std::string_view(visitor.in).substr(0, length));
    visitor.in.erase(0, length);
    if (!request) return false;
    const Visit visit{request->path, request->session, request->instance, request->token, boot_now(), {},
                      false};
    {
      const std::lock_guard lock(mutex);
      visitor.visit = visits.size();
      visits.push_back(visit);
    }
    if (on_visit) on_visit(visit);
    answer(visitor, *request);
    return true;
  }

  static bool send(Connection& visitor) {
    if (visitor.out.empty() && visitor.filler > 0) {
      const auto piece = std::min<std::uint64_t>(visitor.filler, 65'536);
      visitor.out.assign(piece, 'x');
      visitor.filler -= piece;
    }
    const auto sent = ::send(visitor.socket.get(), visitor.out.data(), visitor.out.size(), MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN || errno == EINTR;
    visitor.out.erase(0, static_cast<std::size_t>(sent));
    return true;
  }

  void end(Connection& visitor, bool answered) {
    if (!visitor.visit) return;
    const std::lock_guard lock(mutex);
    Visit& visit = visits[*std::exchange(visitor.visit, std::nullopt)];
    visit.ended = boot_now();
    visit.answered = answered;
  }
};

tl::expected<std::unique_ptr<HttpTarget>, std::string> HttpTarget::open(
    std::uint16_t port, std::function<void(const Visit&)> on_visit) {
  auto state = std::make_unique<State>();
  state->on_visit = std::move(on_visit);
  state->stop = Descriptor(eventfd(0, EFD_CLOEXEC));
  state->listener = Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  socklen_t size = sizeof address;
  const int yes = 1;
  setsockopt(state->listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (!state->stop || bind(state->listener.get(), generic, size) != 0 ||
      listen(state->listener.get(), 1024) != 0 || getsockname(state->listener.get(), generic, &size) != 0) {
    return tl::unexpected("port " + std::to_string(port) +
                          " of 127.0.0.1 cannot be listened on: " + std::generic_category().message(errno));
  }
  state->port = ntohs(address.sin_port);
  state->thread = std::thread([it = state.get()] { it->run(); });
  return std::unique_ptr<HttpTarget>(new HttpTarget(std::move(state)));
}

HttpTarget::HttpTarget(std::unique_ptr<State> state) : state_(std::move(state)) {}

HttpTarget::~HttpTarget() {
  eventfd_write(state_->stop.get(), 1);
  state_->thread.join();
}

std::uint16_t HttpTarget::port() const { return state_->port; }

std::string HttpTarget::url(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(state_->port) + path;
}

std::vector<HttpTarget::Visit> HttpTarget::visits() const {
  const std::lock_guard lock(state_->mutex);
  return state_->visits;
}

std::size_t overlaps(const std::vector<HttpTarget::Visit>& visits) {
  struct Last {
    std::uint64_t token = 0;
    core::Time ended = core::long_ago;         // of all visits with that token
    core::Time others_ended = core::long_ago;  // of all with smaller ones
  };
  std::map<std::string, Last> sessions;
  std::size_t count = 0;
  for (const auto& visit : visits) {
    Last& last = sessions[visit.session];
    if (visit.token < last.token) {
      count += 1;
      continue;
    }
    if (visit.token > last.token) {
      last = {visit.token, core::long_ago, std::max(last.ended, last.others_ended)};
    }
    if (visit.began < last.others_ended) count += 1;
    last.ended = std::max(last.ended, visit.ended.value_or(core::Time::max()));
  }
  return count;
}

}  // namespace tenure::http_target
