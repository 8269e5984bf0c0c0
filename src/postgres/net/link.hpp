// The connection to one PostgreSQL: made when there is something to ask, closed for good after any doubt. Whoever is connected is
// admitted first, and then asks; requests keep their order. Grants that come together are written to the disk together: where several are
// asked in one go, or one commit waits for the disk already, they do not wait, and are told when a statement behind them has waited for all.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
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
  // How what is committed becomes safe: by its own commit, by a statement behind it, or it is that statement.
  enum class Way : std::uint8_t { alone, gathered, settles };
  struct Asked {
    core::RequestId id{};
    core::Request request;
    Way way = Way::alone;
  };

  void on_dialing(runtime::News& news);
  void ask_admission(runtime::News& news);
  void hear(Wire::Answer answer, runtime::News& news);
  void hear_admission(Wire::Answer answer, runtime::News& news);
  void send(Asked asked, runtime::News& news);
  void say_last(Way way, runtime::News& news);
  void send_held_back(runtime::News& news);
  void hear_settled(Wire::Answer answer, runtime::News& news);
  void settle(runtime::News& news);
  void on_disk_free(runtime::News& news);
  void tell(core::RequestId id, const core::Request& request, core::Reply reply, runtime::News& news);

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
  // Grants that are committed, and not safe yet; what follows each of them is in sent_, and settles it.
  std::vector<std::pair<Asked, core::Reply>> unsettled_;
  bool unsaid_ = false;            // the last of sent_ is not told to the server yet
  bool gathers_ = false;           // the session is ours alone, and waits for the disk when it commits
  bool may_settle_ = true;         // the server has not refused to
  bool disk_busy_ = false;         // an answer that waits for the disk is under way
  std::size_t unaccompanied_ = 0;  // gathered, and nothing that settles them was asked yet
};

}  // namespace tenure::postgres
