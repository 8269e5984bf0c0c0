#include "support/proxy.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace tenure::test {

namespace {

using runtime::Descriptor;

// What epoll gives back: the kick, a listener, or one end of a wire.
constexpr std::uint64_t kick_key = 0;
constexpr std::uint64_t listener_keys = std::uint64_t{1} << 32;
constexpr std::uint64_t wire_keys = std::uint64_t{1} << 33;
std::uint64_t wire_key(std::uint64_t wire, Wire::End end) {
  return wire_keys + 2 * wire + (end == Wire::End::server ? 1 : 0);
}

// It is compared with nobody else's.
core::Time time_now() { return core::Time(std::chrono::steady_clock::now().time_since_epoch()); }

sockaddr_un unix_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw std::runtime_error(path + " is too long for a socket");
  path.copy(address.sun_path, path.size());
  return address;
}

sockaddr_in local_address(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

void send_at_once(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Descriptor connect_to_path(const std::string& path) {
  const auto address = unix_address(path);
  Descriptor server(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (connect(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) server.reset();
  return server;
}

// Waits: on this machine the kernel says at once whether anybody listens.
Descriptor connect_to_port(std::uint16_t port) {
  const auto address = local_address(port);
  Descriptor server(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  send_at_once(server.get());
  if (connect(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) server.reset();
  return server;
}

// Nothing: nobody is there, or does not take it at once.
Descriptor connect_to(const std::string& target) {
  return target.starts_with('/') ? connect_to_path(target)
                                 : connect_to_port(static_cast<std::uint16_t>(std::stoi(target)));
}

Descriptor listen_on_port(redis::Address& where) {
  Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  auto address = local_address(0);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener.get(), generic, size) != 0 || listen(listener.get(), 64) != 0 ||
      getsockname(listener.get(), generic, &size) != 0) {
    throw std::runtime_error("no free port on 127.0.0.1");
  }
  where.host = "127.0.0.1";
  where.port = ntohs(address.sin_port);
  return listener;
}

Descriptor listen_on_path(const std::string& path, redis::Address& where) {
  Descriptor listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto address = unix_address(path);
  if (bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener.get(), 64) != 0) {
    throw std::runtime_error("cannot listen on " + path);
  }
  where.kind = redis::Address::Kind::unix_socket;
  where.path = path;
  return listener;
}

}  // namespace

Proxy::Proxy(std::vector<std::string> nodes, ProxyOptions options)
    : nodes_(std::move(nodes)),
      isolated_(nodes_.size()),
      records_(options.records),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      kick_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      paths_(options.clients * nodes_.size()) {
  watch(kick_.get(), kick_key);
  if (options.listens == ProxyOptions::Listens::unix_socket) directory_.emplace("proxy");
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    auto& [listener, address, weather, recorder, records] = paths_[i];
    listener = directory_ ? listen_on_path(directory_->path() / std::to_string(i), address)
                          : listen_on_port(address);
    watch(listener.get(), listener_keys + i);
  }
  thread_ = std::thread([this] { run(); });
}

Proxy::~Proxy() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  eventfd_write(kick_.get(), 1);
  thread_.join();
}

redis::Address Proxy::address(Way way) const { return paths_.at(index(way)).address; }

void Proxy::set(Way way, const Weather& weather) {
  const std::lock_guard lock(mutex_);
  paths_.at(index(way)).weather = weather;
  if (weather.cut) drop(index(way));
  eventfd_write(kick_.get(), 1);
}

void Proxy::lose(Way way) {
  const std::lock_guard lock(mutex_);
  drop(index(way));
}

void Proxy::replay(Way way, std::size_t commands) {
  const std::lock_guard lock(mutex_);
  const std::size_t path = index(way);
  auto requests = paths_.at(path).recorder.last(commands);
  if (requests.empty() || is_cut(path)) return;
  if (auto server = connect_to(nodes_[way.node])) add({path, Wire(std::move(server), std::move(requests))});
  eventfd_write(kick_.get(), 1);
}

std::vector<std::string> Proxy::recorded(Way way) {
  const std::lock_guard lock(mutex_);
  return paths_.at(index(way)).records;
}

void Proxy::forget(std::size_t node) {
  const std::lock_guard lock(mutex_);
  for (std::size_t path = node; path < paths_.size(); path += nodes_.size()) paths_[path].recorder.forget();
}

void Proxy::isolate(std::size_t node, bool isolated) {
  const std::lock_guard lock(mutex_);
  isolated_.at(node) = isolated;
  if (isolated) drop_all_to(node);
}

void Proxy::point_at(std::size_t node, std::string target) {
  const std::lock_guard lock(mutex_);
  nodes_.at(node) = std::move(target);
  drop_all_to(node);
}

bool Proxy::is_cut(std::size_t path) const {
  return paths_[path].weather.cut || isolated_[path % nodes_.size()];
}

void Proxy::drop(std::size_t path) {
  std::erase_if(wires_, [&](const auto& it) { return it.second.path == path; });
}

void Proxy::drop_all_to(std::size_t node) {
  for (std::size_t path = node; path < paths_.size(); path += nodes_.size()) drop(path);
}

void Proxy::add(Carried carried) {
  const std::uint64_t id = ++last_wire_;
  const Wire& wire = carried.wire;
  if (wire.fd(Wire::End::client) >= 0) watch(wire.fd(Wire::End::client), wire_key(id, Wire::End::client));
  watch(wire.fd(Wire::End::server), wire_key(id, Wire::End::server));
  wires_.emplace(id, std::move(carried));
}

void Proxy::watch(int fd, std::uint64_t key) const {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = key;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
    throw std::runtime_error("epoll takes no more");
}

// Bytes are passed under the lock: whoever has changed the weather knows that nothing comes after it.
void Proxy::run() {
  std::optional<core::Time> wake;
  while (true) {
    std::array<epoll_event, 64> events{};
    const auto left = wake ? std::chrono::ceil<std::chrono::milliseconds>(*wake - time_now()).count() : -1;
    const int count = epoll_wait(epoll_.get(), events.data(), events.size(),
                                 wake ? static_cast<int>(std::clamp<long>(left, 0, 1'000)) : -1);
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    for (int i = 0; i < count; ++i) on_event(events.at(static_cast<std::size_t>(i)).data.u64);
    wake = pump_all();
  }
}

void Proxy::on_event(std::uint64_t key) {
  if (key == kick_key) {
    eventfd_t count = 0;
    eventfd_read(kick_.get(), &count);
  } else if (key < wire_keys) {
    accept_one(key - listener_keys);
  } else if (const auto found = wires_.find((key - wire_keys) / 2); found != wires_.end()) {
    Path& its = paths_[found->second.path];
    found->second.wire.read(key % 2 == 1 ? Wire::End::server : Wire::End::client,
                            time_now() + its.weather.delay, its.recorder);
  }
}

void Proxy::accept_one(std::size_t path) {
  Descriptor client(accept4(paths_[path].listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!client || is_cut(path)) return;
  send_at_once(client.get());
  auto server = connect_to(nodes_[path % nodes_.size()]);
  if (!server) return;
  Carried carried{path, Wire(std::move(client), std::move(server))};
  if (records_) {
    carried.record = paths_[path].records.size();
    paths_[path].records.emplace_back();
  }
  add(std::move(carried));
}

std::optional<core::Time> Proxy::pump_all() {
  std::optional<core::Time> wake;
  const core::Time now = time_now();
  for (auto it = wires_.begin(); it != wires_.end();) {
    auto& [path, wire, record] = it->second;
    Path& its = paths_[path];
    wake = core::sooner(wake, wire.pump(now, its.weather, record ? &its.records[*record] : nullptr));
    it = wire.over() ? wires_.erase(it) : std::next(it);
  }
  return wake;
}

}  // namespace tenure::test
