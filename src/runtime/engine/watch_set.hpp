// A descriptor for the event loop of somebody else: readable when one of those is that are awaited. Guarded by the engine's
// mutex.
#pragma once

#include <span>
#include <vector>

#include "runtime/net/descriptor.hpp"
#include "runtime/store/connection.hpp"

namespace tenure::runtime {

class WatchSet {
 public:
  // Throws std::system_error where the kernel gives no descriptor.
  WatchSet();

  int fd() const { return epoll_.get(); }
  // For good, when it is readable.
  void add(int fd);
  // What is watched from now on, apart from that.
  void set(std::vector<Awaited> awaited);
  std::span<const Awaited> watched() const { return watched_; }

 private:
  void control(int what, int fd, short events);

  Descriptor epoll_;
  std::vector<Awaited> watched_;
  // By the same index: copies of the watched descriptors, which stay open until they are taken out of the set. A socket that
  // is closed stays in it for as long as a forked child has it, too.
  std::vector<Descriptor> copies_;
};

}  // namespace tenure::runtime
