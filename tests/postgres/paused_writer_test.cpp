// A process that is suspended in the middle of its transaction, for longer than its lease lasts: what the database lets it write then.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "postgres/contender.hpp"
#include "postgres/waiting_client.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/wait.hpp"
#include "tenure/tenure.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 60s;
constexpr auto gate_lock = "pg_advisory_xact_lock_shared";

bool is_stopped(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string stat((std::istreambuf_iterator<char>(file)), {});
  return stat.substr(stat.rfind(')') + 1).starts_with(" T");
}

// See support/transaction_process.
class PausedWriter : public testing::TestWithParam<const char*> {
 protected:
  PausedWriter() {
    set_up(server);
    server.execute("CREATE TABLE work (token bigint)");
    server.execute("GRANT ALL ON work TO tenure");
    gate.query("SELECT pg_advisory_lock(1)");
  }
  std::unique_ptr<Process> start(const char* gate_stands) const {
    return std::make_unique<Process>(std::vector<std::string>{paths::transaction_process, server.url(), "job",
                                                              "2000", GetParam(), gate_stands});
  }
  void stop_at_the_gate(const Process& writer) const {
    ASSERT_TRUE(wait_until([&] { return waits_for_a_lock(server, gate_lock); }, patience)) << writer.err();
    writer.send(SIGSTOP);
    ASSERT_TRUE(wait_until([&] { return is_stopped(writer.pid()); }, patience));
  }
  // Its session passes, and waits for what it says next.
  void open_the_gate() {
    gate.query("SELECT pg_advisory_unlock(1)");
    ASSERT_TRUE(wait_until(
        [&] {
          return server.query("SELECT state FROM pg_stat_activity WHERE query LIKE '%" +
                              std::string(gate_lock) + "%' AND pid <> pg_backend_pid()") ==
                 "idle in transaction";
        },
        patience));
  }
  std::string written() const {
    return server.query("SELECT string_agg(token::text, ' ' ORDER BY token) FROM work");
  }
  static std::string token_of(const Process& writer) {
    const std::string said = writer.out();
    return said.substr(0, said.find('\n')).substr(sizeof "token");
  }

  PostgresServer server;
  Application gate{server.url_of("postgres")};
  const Client other = Client::open({.nodes = {server.url()}, .id = "other"}).value();
};
INSTANTIATE_TEST_SUITE_P(At, PausedWriter,
                         testing::Values("READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"),
                         [](const auto& it) {
                           const std::string level = it.param;
                           return level.substr(0, level.find(' '));
                         });

TEST_P(PausedWriter, F4_ThatAsksWhenItGoesOnIsRefusedAndLeavesNoRow) {
  const auto writer = start("before");
  stop_at_the_gate(*writer);
  const auto next = other.lock("job").acquire({.wait_max = patience});
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_GT(next->token(), std::stoull(token_of(*writer)));
  // The next one writes first; and it need not be here for that.
  Application successor(server.url());
  successor.query("BEGIN");
  successor.query("SELECT tenure.fence('job', " + std::to_string(next->token()) + ")");
  successor.query("INSERT INTO work VALUES (" + std::to_string(next->token()) + ")");
  successor.query("COMMIT");

  open_the_gate();
  writer->send(SIGCONT);
  EXPECT_EQ(writer->exit_code(patience), 0) << writer->err();
  EXPECT_NE(writer->out().find("held 0, fence TN002, ROLLBACK\n"), std::string::npos) << writer->out();
  EXPECT_EQ(written(), std::to_string(next->token()));
  EXPECT_TRUE(next->held()) << "the release of the one that woke up is not for this grant";
  EXPECT_EQ(server.query("SELECT token FROM tenure.lease WHERE name = 'redlock:job'"),
            std::to_string(next->token()));
}

TEST_P(PausedWriter, F4_ThatHasAskedBeforeCommitsBeforeTheNextIsGrantedTheName) {
  const auto writer = start("after");
  stop_at_the_gate(*writer);
  WaitingClient waiting(other.lock("job"));
  ASSERT_TRUE(wait_until([&] { return waits_for_a_lock(server, "tenure.acquire"); }, patience))
      << "its lease is over, and its transaction is not";
  EXPECT_FALSE(waiting.done());

  open_the_gate();
  EXPECT_FALSE(waiting.done());
  writer->send(SIGCONT);
  EXPECT_EQ(writer->exit_code(patience), 0) << writer->err();
  EXPECT_NE(writer->out().find("held 0, fence ok, COMMIT\n"), std::string::npos) << writer->out();
  EXPECT_EQ(written(), token_of(*writer) + " " + token_of(*writer));
  const auto next = waiting.get();
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_GT(next->token(), std::stoull(token_of(*writer)));
}

}  // namespace
}  // namespace tenure::test
