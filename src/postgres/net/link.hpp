// The connection to one PostgreSQL: made when there is something to ask, closed for good after any doubt. Whoever is connected is
// admitted first, and then asks; requests and replies keep their order.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "postgres/call.hpp"
#include "postgres/net/wire.hpp"
#include "runtime/store/connection.hpp"

namespace tenure::postgres {

// The largest token that a node has counted to, as far as a client knows: by all its connections to that node.
using Seen = std::shared_ptr<core::Token>;

class Link : public runtime::Connection {
 public:
  // Whoever is to be admitted introduces itself, each time anew. With no introduction there is no admission: for a database where
  // no leases are. The address lives longer than this.
  using Introduce = std::function<Introduction()>;
  Link(core::NodeIndex node, const Address& address, Keyspace keyspace, Introduce introduce, Seen seen);

  void ask(core::RequestId id, core::Request request, core::Time now, runtime::News& news) override;
  void flush(runtime::News& news) override;
  void on_ready(core::Time now, runtime::News& news) override;
  void drop(const core::Failure& why, runtime::News& news) override;

  runtime::Awaited awaited() const override { return wire_.awaited(); }
  bool waiting() const override { return !sent_.empty() || !held_back_.empty(); }
  bool carries(core::RequestId id) const override;

 private:
  struct Asked {
    core::RequestId id{};
    core::Request request;
  };

  void on_dialing(runtime::News& news);
  void ask_admission(runtime::News& news);
  void hear(Wire::Answer answer, runtime::News& news);
  void hear_admission(Wire::Answer answer, runtime::News& news);
  void send(Asked asked, runtime::News& news);
  void send_held_back(runtime::News& news);

  core::NodeIndex node_;
  Keyspace keyspace_;
  Introduce introduce_;
  Seen seen_;
  Wire wire_;
  core::Time last_used_{};
  bool ready_ = false;      // admitted, and nothing has spoken against it since
  bool admitting_ = false;  // asked, behind all that is in sent_
  bool limiting_ = false;   // asked before all that is in sent_
  std::string epoch_{};     // that the connection was admitted to
  std::string record_{};    // with this record
  std::deque<Asked> sent_;
  std::deque<Asked> held_back_;  // until it is admitted
};

}  // namespace tenure::postgres
