// One connection to one PostgreSQL, by libpq, never blocking: dialled, told statements, which are answered in their order, and
// closed for good after any doubt. Each statement is a transaction of its own, and counts as answered when that is committed.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "core/message.hpp"
#include "postgres/call.hpp"
#include "postgres/net/address.hpp"
#include "postgres/net/hosts.hpp"
#include "runtime/store/connection.hpp"

struct pg_conn;
struct pg_result;

namespace tenure::postgres {

class Wire {
 public:
  // The address lives longer than this.
  explicit Wire(const Address& address);
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  // on_dialing() is to follow at once.
  void dial();
  // Connected, not yet, or why not. To be called when what is awaited is there.
  tl::expected<bool, core::Failure> on_dialing();
  // What was said is answered by nobody any more.
  void close();

  bool idle() const { return !connection_ && !hosts_; }
  bool dialing() const { return hosts_ || (connection_ && !connected_); }
  bool connected() const { return connection_ && connected_; }

  // Rows, or why there are none: an error of the server, after which the connection goes on.
  using Answer = tl::expected<Rows, core::Failure>;

  // From now on statements are prepared. Only where the server serves us alone: a pooler would have another one execute them.
  void begin_to_remember() { remembers_ = true; }

  // Only when connected. A failure of these three is the end of the connection.
  tl::expected<void, core::Failure> say(const Call& call);
  tl::expected<void, core::Failure> flush();
  tl::expected<void, core::Failure> read(std::vector<Answer>& answers);

  // What was notified of since the last time.
  std::vector<std::string> messages();
  // Is that the process that serves us? A pooler has another one serve each transaction.
  bool is_served_by(const Value& pid) const;
  // Something has come, though nothing was asked: an end, most likely.
  bool stirred() const;

  runtime::Awaited awaited() const;

 private:
  struct Finish {
    void operator()(pg_conn* connection) const;
  };

  void connect(const Hosts::Found& found);
  bool prepared(const char* statement);
  core::Failure lost() const;
  std::string printable(const char* message) const;
  void take(pg_result* result, std::vector<Answer>& answers);

  const Address& address_;
  std::optional<Hosts> hosts_;  // while they are looked up
  std::unique_ptr<pg_conn, Finish> connection_;
  bool connected_ = false;
  bool remembers_ = false;
  std::vector<const char*> statements_;  // that it remembers, by their place
  int polling_ = 0;                      // what PQconnectPoll said last
  std::uint64_t number_ = 0;             // of the connection, for who polls
  bool unsent_ = false;                  // there was no room for all of it
  std::deque<Answer> pending_;           // the answer of the transaction that is not committed yet
};

}  // namespace tenure::postgres
