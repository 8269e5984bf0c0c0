// What the peers written in C++ share: reading what to do, the callers' threads, and what is seen of hand-overs.
// bench/peer.hpp has the words that are spoken.
#pragma once

#include <memory>
#include <string>

namespace tenure::bench::peers {

// One caller's own connection. Names are numbers.
class Caller {
 public:
  virtual ~Caller() = default;
  // Before a block; its time does not count.
  virtual void prepare() {}
  // Returns when the name is owned, however long that takes; throws std::runtime_error when it fails.
  virtual void acquire(int name) = 0;
  virtual void release() = 0;
};

// A lock server and what its lock can do.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string version() = 0;
  virtual std::unique_ptr<Caller> connect() = 0;
  // Leases that expire unless they are renewed; false: it has none.
  virtual bool hold(int count) = 0;
  virtual void renew() = 0;
  virtual void drop() = 0;
};

// Does what it is told, line by line, until "quit" or the end of the input. The exit code.
int serve(Backend& backend);

}  // namespace tenure::bench::peers
