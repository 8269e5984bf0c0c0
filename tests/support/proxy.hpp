// The network between clients and servers: every client has its own way to every server, on which bytes can be late, be held and
// released, get lost, come one by one, or come once more. One thread for all.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "redis/url.hpp"
#include "runtime/net/descriptor.hpp"
#include "support/directory.hpp"
#include "support/wire.hpp"

namespace tenure::test {

struct ProxyOptions {
  enum class Listens { unix_socket, tcp };

  std::size_t clients = 1;
  Listens listens = Listens::tcp;
  bool records = false;  // keeps all that clients have sent through
};

class Proxy {
 public:
  struct Way {
    std::size_t client = 0;
    std::size_t node = 0;
  };

  // Each node is the path of a socket, or the number of a port of 127.0.0.1.
  explicit Proxy(std::vector<std::string> nodes, ProxyOptions options = {});
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  // Where that client finds that node.
  redis::Address address(Way way) const;
  std::string url(Way way) const { return redis::to_text(address(way)); }

  // What was held goes on its way if the new weather lets it.
  void set(Way way, const Weather& weather);
  // Every connection breaks, and what was held is lost. New ones get through if the weather lets them.
  void lose(Way way);
  // The last commands on that way come once more, on a connection that the client does not know of.
  void replay(Way way, std::size_t commands);
  // All that the client has sent through so far, connection by connection. Needs ProxyOptions::records.
  std::vector<std::string> recorded(Way way);
  // So that nothing of a server's earlier life can come once more.
  void forget(std::size_t node);
  // Nobody gets there, whatever the weather.
  void isolate(std::size_t node, bool isolated);
  // Every connection to that node breaks; who connects again gets to this one.
  void point_at(std::size_t node, std::string target);

 private:
  struct Path {
    runtime::Descriptor listener{};
    redis::Address address{};
    Weather weather{};
    Recorder recorder{};
    std::vector<std::string> records{};  // one for each connection
  };
  struct Carried {
    std::size_t path = 0;
    Wire wire;
    std::optional<std::size_t> record{};  // in its path
  };

  std::size_t index(Way way) const { return way.client * nodes_.size() + way.node; }
  bool is_cut(std::size_t path) const;
  void drop(std::size_t path);
  void drop_all_to(std::size_t node);
  void add(Carried carried);
  void watch(int fd, std::uint64_t key) const;
  void run();
  void on_event(std::uint64_t key);
  void accept_one(std::size_t path);
  // When it has something to do next.
  std::optional<core::Time> pump_all();

  std::vector<std::string> nodes_;
  std::vector<bool> isolated_;
  bool records_;
  std::optional<Directory> directory_{};  // of the sockets that it listens on; nothing: ports
  runtime::Descriptor epoll_;
  runtime::Descriptor kick_;
  std::mutex mutex_;
  bool stopping_ = false;
  std::vector<Path> paths_;
  std::map<std::uint64_t, Carried> wires_;
  std::uint64_t last_wire_ = 0;
  std::thread thread_;
};

}  // namespace tenure::test
