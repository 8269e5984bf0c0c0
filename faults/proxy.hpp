// The network between clients and nodes: every client has its own way to every node, a port of 127.0.0.1, on which bytes can be
// late, be held and released, get lost, come one by one, or come once more. One thread for all.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "faults/wire.hpp"
#include "runtime/net/descriptor.hpp"

namespace tenure::faults {

class Proxy {
 public:
  struct Way {
    std::size_t client = 0;
    std::size_t node = 0;
  };

  // Nodes by the paths of their sockets.
  Proxy(std::vector<std::string> nodes, std::size_t clients);
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  std::string url(Way way) const;

  // What was held goes on its way if the new weather lets it.
  void set(Way way, const Weather& weather);
  // Every connection breaks, and what was held is lost. New ones get through if the weather lets them.
  void lose(Way way);
  // The last commands on that way come once more, on a connection that the client does not know of.
  void replay(Way way, std::size_t commands);
  // So that nothing of a server's earlier life can come once more.
  void forget(std::size_t node);
  // Nobody gets there, whatever the weather.
  void isolate(std::size_t node, bool isolated);

 private:
  struct Path {
    runtime::Descriptor listener;
    std::uint16_t port = 0;
    Weather weather{};
    Recorder recorder{};
  };
  struct Carried {
    std::size_t path = 0;
    Wire wire;
  };

  std::size_t index(Way way) const { return way.client * nodes_.size() + way.node; }
  bool is_cut(std::size_t path) const;
  void drop(std::size_t path);
  void add(std::size_t path, Wire wire);
  void watch(int fd, std::uint64_t key) const;
  void run();
  void on_event(std::uint64_t key);
  void accept_one(std::size_t path);
  // When it has something to do next.
  std::optional<core::Time> pump_all();

  std::vector<std::string> nodes_;
  std::vector<bool> isolated_;
  runtime::Descriptor epoll_;
  runtime::Descriptor kick_;
  std::mutex mutex_;
  bool stopping_ = false;
  std::vector<Path> paths_;
  std::map<std::uint64_t, Carried> wires_;
  std::uint64_t last_wire_ = 0;
  std::thread thread_;
};

}  // namespace tenure::faults
