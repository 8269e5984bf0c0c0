// A connection to one node of a store, as the engine sees it: made when there is something to ask, and never trusted again
// after any doubt. A store is what implements this, and what else is in src/runtime/store.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "core/base/time.hpp"
#include "core/lease/record.hpp"
#include "core/message.hpp"

namespace tenure::runtime {

// What to poll for until something can be done.
struct Awaited {
  int fd = -1;  // -1: nothing
  short events = 0;
  // Another one for every time that a connection is made, of whatever store: the kernel gives the numbers of descriptors
  // away again.
  std::uint64_t connection = 0;

  bool operator==(const Awaited&) const = default;
};

inline std::uint64_t next_connection() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

// What has come of a connection, in order.
struct News {
  struct Answer {
    core::RequestId id{};
    core::Reply reply;
  };
  std::vector<Answer> answers{};
  // The node, or a part of it, shows this record to a connection.
  struct Admitted {
    core::NodeIndex node = 0;
    core::Record record;
    core::Part part = 0;
  };
  std::vector<Admitted> admitted{};
};

// Not safe from several threads: the engine guards it. What is known at once is added to the news by all that take them.
// Everything that is asked is answered once, in whatever order: by the node, or by a Failure when the connection ends.
class Connection {
 public:
  virtual ~Connection() = default;
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  virtual void ask(core::RequestId id, core::Request request, core::Time now, News& news) = 0;
  // Sends what was asked: several requests that came together in one go.
  virtual void flush(News& news) = 0;
  virtual void on_ready(core::Time now, News& news) = 0;
  // The connection is not to be trusted any more: every request on it has failed. The next one asked makes a new one.
  virtual void drop(const core::Failure& why, News& news) = 0;
  // That request got no answer in time. What carries it is not to be trusted any more: all requests that went the same way have
  // failed. Where a node is one server, that is the connection.
  virtual void give_up(core::RequestId /*id*/, const core::Failure& why, News& news) { drop(why, news); }

  virtual Awaited awaited() const = 0;
  // Is something asked and not answered?
  virtual bool waiting() const = 0;
  virtual bool carries(core::RequestId id) const = 0;
};

}  // namespace tenure::runtime
