// The connection to one node: made when there is something to ask, closed for good after any doubt.
// Not safe from several threads: the engine guards it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/time.hpp"
#include "redis/conversation.hpp"
#include "runtime/net/wire.hpp"

namespace tenure::runtime {

class Link {
 public:
  // What has come of the connection, in order.
  struct News {
    std::vector<redis::Conversation::Answer> answers{};
    std::vector<std::pair<core::NodeIndex, core::Record>> admitted{};
  };

  Link(core::NodeIndex node, const redis::Address& address, redis::Keyspace keyspace,
       redis::Conversation::Introduce introduce, redis::Seen seen, const Tls& tls);

  // News that are known at once are appended by all of these.
  void ask(core::RequestId id, core::Request request, core::Time now, News& news);
  // Writes what was asked: several requests that came together in one go.
  void flush(News& news);
  void on_ready(core::Time now, News& news);
  // The connection is not to be trusted any more; every request on it has failed.
  void drop(const core::Failure& why, News& news);

  const redis::Seen& seen() const { return seen_; }
  const Wire& wire() const { return wire_; }
  bool waiting() const { return conversation_.waiting(); }
  bool carries(core::RequestId id) const { return conversation_.carries(id); }

 private:
  void on_dialing(News& news);
  redis::Conversation converse() const;

  core::NodeIndex node_;
  const redis::Address& address_;  // lives as long as the engine
  redis::Keyspace keyspace_;
  redis::Conversation::Introduce introduce_;
  redis::Seen seen_;
  redis::Conversation conversation_;
  Wire wire_;
  core::Time last_used_{};
};

}  // namespace tenure::runtime
