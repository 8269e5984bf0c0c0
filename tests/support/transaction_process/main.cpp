// A process that holds a lock and writes under it, in one transaction with tenure.fence(): for tests that stop it in the middle.
//   transaction_process URL NAME TTL_MS LEVEL before|after
// Between two INSERTs it asks tenure.fence(), and before or after that it waits for the advisory lock 1, which a test keeps until it
// has stopped this process. Says "token <token>", and at the end "held <0 or 1>, fence <ok or SQLSTATE>, <what became of COMMIT>".
#include <libpq-fe.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

#include "tenure/tenure.hpp"

namespace {

using namespace tenure;

class Session {
 public:
  explicit Session(const std::string& url) : connection_(PQconnectdb(url.c_str()), PQfinish) {}

  // "ok", or the SQLSTATE of what the server said against it.
  std::string say(const std::string& sql) {
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection_.get(), sql.c_str()),
                                                               PQclear);
    done_ = PQcmdStatus(result.get());
    const char* state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
    return state == nullptr ? "ok" : state;
  }
  // What the last one was in the end: "COMMIT" may have become "ROLLBACK".
  const std::string& done() const { return done_; }

 private:
  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
  std::string done_{};
};

int run(const std::string& url, const std::string& name, std::chrono::milliseconds ttl,
        const std::string& level, bool asks_before) {
  const auto client = Client::open({.nodes = {url}, .id = "paused"});
  if (!client) return 64;
  const auto lease = client->lock(name, {.ttl = ttl, .node_timeout = ttl / 5})
                         .acquire({.wait_max = std::chrono::seconds(30)});
  if (!lease) return 1;
  std::printf("token %llu\n", static_cast<unsigned long long>(lease->token()));
  std::fflush(stdout);

  Session session(url);
  const std::string insert = "INSERT INTO work VALUES (" + std::to_string(lease->token()) + ")";
  const std::string ask = "SELECT tenure.fence('" + name + "', " + std::to_string(lease->token()) + ")";
  const std::string wait_at_the_gate = "SELECT pg_advisory_xact_lock_shared(1)";
  session.say("BEGIN ISOLATION LEVEL " + level);
  session.say(insert);
  std::string fence;
  if (asks_before) fence = session.say(ask);
  session.say(wait_at_the_gate);
  const bool held = lease->held();
  if (!asks_before) fence = session.say(ask);
  session.say(insert);
  session.say("COMMIT");
  std::printf("held %d, fence %s, %s\n", held ? 1 : 0, fence.c_str(), session.done().c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 64;
  return run(argv[1], argv[2], std::chrono::milliseconds(std::stoi(argv[3])), argv[4],
             std::string(argv[5]) == "after");
}
