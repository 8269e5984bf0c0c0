// The connection to one Redis: made when there is something to ask, closed for good after any doubt.
#pragma once

#include <optional>
#include <vector>

#include "redis/conversation.hpp"
#include "redis/net/wire.hpp"
#include "runtime/store/connection.hpp"

namespace tenure::redis {

class Link : public runtime::Connection {
 public:
  // With no introduction nobody has to be admitted: for a Redis where no leases are. Address and TLS live longer than this. What is
  // asked has at least that patience.
  Link(core::NodeIndex node, const Address& address, Keyspace keyspace, Conversation::Introduce introduce,
       Seen seen, const runtime::Tls& tls, core::Duration patience);

  void ask(core::RequestId id, core::Request request, core::Time now, runtime::News& news) override;
  void flush(runtime::News& news) override;
  void on_ready(core::Time now, runtime::News& news) override;
  void drop(const core::Failure& why, runtime::News& news) override;

  runtime::Awaited awaited() const override { return wire_.awaited(); }
  bool waiting() const override { return conversation_.waiting(); }
  bool carries(core::RequestId id) const override { return conversation_.carries(id); }

 private:
  void on_dialing(runtime::News& news);
  void dial_anew(runtime::News& news);
  void go_on_as_before(runtime::News& news);
  void say();
  Conversation converse() const;

  core::NodeIndex node_;
  const Address& address_;
  Keyspace keyspace_;
  Conversation::Introduce introduce_;
  Seen seen_;
  Conversation conversation_;
  std::optional<Conversation> before_{};  // on the connection that is kept while another one is dialled
  Wire wire_;
  core::Time last_used_{};
  std::vector<Command> commands_;  // to be said, and empty in between: so that its memory is kept
};

}  // namespace tenure::redis
