// Who takes part in these tests: clients of Tenure, which say in words what they were answered, and an application's own sessions.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "postgres/net/address.hpp"
#include "postgres/net/caller.hpp"
#include "support/asking.hpp"
#include "support/postgres_server.hpp"

namespace tenure::test {

inline constexpr core::Ttl long_enough{30'000};
inline const core::Terms usual_terms{core::Ttl(60'000), "1"};

// Makes the schema in the database of that URL, and the record that says that it is new, as tenure init does.
void set_up(const std::string& url, core::Ttl cap = usual_terms.cap);
inline void set_up(const PostgresServer& server, core::Ttl cap = usual_terms.cap) {
  set_up(server.url(), cap);
}
// Of the record as clients read it: "open new durable".
std::string record_in(const PostgresServer& server);

// One node, for one client.
std::shared_ptr<runtime::Node> node_at(const std::string& url);

// "granted", "held by web-1", "quarantined: restarted", "unverified", "done missing", "busy", …
std::string said(const core::Reply& reply);

// A client: it has a name, remembers its grants, and speaks over one connection.
class Contender : public Asking {
 public:
  explicit Contender(const std::string& url, std::string owner = "web-1");
  Contender(std::shared_ptr<runtime::Node> node, std::string owner);
  explicit Contender(const PostgresServer& server, std::string owner = "web-1")
      : Contender(server.url(), std::move(owner)) {}

  // Each says what came of it. A new grant each time, but for again().
  std::string acquire(const std::string& name = "job", core::Ttl ttl = long_enough);
  std::string again(const std::string& name = "job");
  // The same with a place in the queue, of one ticket a name.
  std::string wait(const std::string& name = "job");
  std::string renew(const std::string& name = "job");
  std::string release(const std::string& name = "job");
  std::string reassert(const std::string& name = "job");
  // Ends the quarantine that it was admitted to, as if it had sat that out.
  std::string open();
  std::string said_to(const core::Request& request);

  // What it was granted last under that name; token 0: never.
  const core::Holding& holding(const std::string& name = "job") { return holdings_[name]; }
  core::Token token(const std::string& name = "job") { return holdings_[name].token; }
  // The last one.
  const core::Failure& failure() const { return failure_; }
  const std::string& owner() const { return owner_; }

  // Asks without waiting for the answer; said_at_last() waits for it.
  core::RequestId begin_to_acquire(const std::string& name = "job");
  std::string said_at_last(core::RequestId id);

 private:
  core::AcquireRequest request_of(const std::string& name, core::Ttl ttl);
  std::string note(const std::string& name, const core::Grant& grant, const core::Reply& reply);

  std::string owner_;
  std::uint64_t last_nonce_;
  std::map<std::string, core::Holding> holdings_{};
  std::map<std::string, core::Grant> tickets_{};
  std::map<core::RequestId, core::Holding> begun_{};
  core::Failure failure_{};
};

// What an application says to its database, on a connection that stays.
class Application {
 public:
  explicit Application(const std::string& url);

  // The first column of the first row; "" if there is none. Throws std::runtime_error with what the server said.
  std::string query(const std::string& sql);
  // What the server said against it; "": nothing. The SQLSTATE is in it, unless it is of a kind that Tenure has words for.
  std::string error(const std::string& sql);
  // The same on a thread of its own.
  std::future<std::string> query_later(const std::string& sql) {
    return std::async(std::launch::async, [this, sql] { return query(sql); });
  }
  std::string pid() { return query("SELECT pg_backend_pid()"); }

 private:
  postgres::Address address_;
  std::deque<std::string> said_{};  // statements live as long as the connection
  postgres::Caller caller_;
};

// Until a session of that server waits for a lock, with a statement in which this stands.
bool waits_for_a_lock(const PostgresServer& server, const std::string& part);

}  // namespace tenure::test
