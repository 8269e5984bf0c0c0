// A server that ends sessions, is locked by others, or has no room: what a client is told, and that it goes on.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <list>
#include <optional>
#include <stdexcept>
#include <thread>

#include "postgres/contender.hpp"
#include "runtime/boot_clock.hpp"
#include "support/wait.hpp"
#include "tenure/tenure.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

constexpr auto lock_job = "SELECT FROM tenure.lease WHERE name = 'job' FOR UPDATE";
constexpr auto sessions = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'tenure'";

class Faults : public testing::Test {
 protected:
  explicit Faults(std::vector<std::string> settings = {}) : server({.settings = std::move(settings)}) {
    set_up(server);
  }

  // There is a row for it, and nobody has it.
  void know_job() {
    ASSERT_EQ(client.acquire(), "granted");
    ASSERT_EQ(client.release(), "done");
  }
  bool is_held(const std::string& name = "job") {
    const auto reply = client.ask(core::LookRequest{{name}});
    const auto* states = std::get_if<core::KeyStates>(&reply);
    return states == nullptr || states->front().exists();
  }

  // Or the answer came before: only so long does it wait for a lock.
  void expect_that_it_was_cut_off(core::RequestId asked, const std::string& why) {
    if (const std::string said = client.said_at_last(asked); said != "busy") {
      EXPECT_EQ(said, "closed");
      EXPECT_EQ(client.failure().applied, core::Applied::perhaps);
      EXPECT_FALSE(client.failure().detail.empty());
      EXPECT_NE(client.failure().detail.find(why), std::string::npos) << client.failure().detail;
    }
    ASSERT_TRUE(client.hear_the_end());
  }

  PostgresServer server;
  Contender client{server};
};

TEST_F(Faults, WhoIsCutOffInTheMiddleOfARequestDoesNotKnowWhatCameOfItAndGoesOn) {
  know_job();
  const std::string pid = server.query("SELECT pid FROM pg_stat_activity WHERE usename = 'tenure'");
  {
    Application other(server.url());
    other.query("BEGIN");
    other.query(lock_job);
    const auto asked = client.begin_to_acquire();
    ASSERT_TRUE(waits_for_a_lock(server, "tenure.acquire"));
    server.execute("SELECT pg_terminate_backend(" + pid + ")");
    expect_that_it_was_cut_off(asked, "administrator");
  }
  EXPECT_EQ(client.acquire("another"), "granted");
  EXPECT_EQ(server.query("SELECT count(*) FROM pg_stat_activity WHERE pid = " + pid), "0");

  // And now the whole server.
  Application other(server.url());
  other.query("BEGIN");
  other.query(lock_job);
  const auto asked = client.begin_to_acquire();
  ASSERT_TRUE(waits_for_a_lock(server, "tenure.acquire"));
  server.kill();
  expect_that_it_was_cut_off(asked, "");
  EXPECT_EQ(client.acquire(), "unreachable");
  EXPECT_EQ(client.failure().applied, core::Applied::no);
  server.restart();
  EXPECT_EQ(client.acquire(), "granted");
}

// Nobody listens to an idle connection: its end is noticed before the next request is lost to it. A client is never idle in a transaction,
// because each request is one; for who is, see fencing_test.cpp.
TEST_F(Faults, ASessionThatIsEndedForBeingIdleCostsNoRequest) {
  server.execute("ALTER ROLE tenure SET idle_session_timeout = '200ms'");
  Contender idle(server, "web-2");
  testing::internal::CaptureStderr();
  ASSERT_EQ(idle.acquire(), "granted");
  ASSERT_TRUE(wait_until([&] { return server.query(sessions) == "0"; }));
  std::this_thread::sleep_for(1s);
  EXPECT_EQ(idle.renew(), "done") << idle.failure().detail;
  ASSERT_TRUE(idle.hear_the_end());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "")
      << "what libpq would say of it is not for the user's screen";
}

TEST_F(Faults, ALeaseThatSomebodyHasLockedIsBusyAndInNobodyElsesWay) {
  know_job();
  Application other(server.url());
  other.query("BEGIN");
  other.query(lock_job);
  const auto blocked = client.begin_to_acquire();
  const auto behind_it = client.begin_to_acquire("another");
  EXPECT_EQ(client.said_at_last(behind_it), "granted") << "on the same connection";
  EXPECT_EQ(client.said_at_last(blocked), "busy");
  EXPECT_EQ(client.failure().applied, core::Applied::no);
  EXPECT_NE(client.failure().detail.find("locked"), std::string::npos) << client.failure().detail;
  EXPECT_EQ(client.renew("another"), "done");
  EXPECT_FALSE(is_held()) << "looking waits for nobody";
  other.query("ROLLBACK");
  EXPECT_EQ(client.acquire(), "granted");
  EXPECT_EQ(server.query(sessions), "2");
}

TEST_F(Faults, ALeaseThatSomebodyHasLockedCostsTheOthersOfItsBatchNothing) {
  for (const auto* const name : {"a", "job", "z"}) ASSERT_EQ(client.acquire(name), "granted");
  const core::RenewRequest all{long_enough,
                               {client.holding("z"), client.holding("job"), client.holding("a")}};
  Application other(server.url());
  other.query("BEGIN");
  other.query(lock_job);
  server.execute("UPDATE tenure.lease SET ends = ends - interval '10 s' WHERE name <> 'job'");
  EXPECT_EQ(client.said_to(all), "done locked done");
  EXPECT_EQ(
      server.query("SELECT count(*) FROM tenure.lease WHERE ends > clock_timestamp() + interval '25 s'"),
      "3");
  const core::ReassertRequest back{long_enough, true, all.items};
  EXPECT_EQ(client.said_to(back), "done locked done");
  other.query("ROLLBACK");
  EXPECT_EQ(client.said_to(all), "done done done");
  EXPECT_EQ(client.said_to(back), "done done done");

  other.query("BEGIN");
  other.query(lock_job);
  ASSERT_EQ(client.release("a"), "done");
  const core::Holding foreign{"z", client.holding("job").grant, 1};
  EXPECT_EQ(
      client.said_to(core::RenewRequest{
          long_enough, {client.holding("a"), client.holding("job"), foreign, {"none", foreign.grant, 1}}}),
      "missing locked foreign missing");
}

// What waits for a lock ends by itself: nothing is left of it when its client has long given up.
TEST_F(Faults, NoRequestWaitsLongForWhatSomebodyHasLocked) {
  ASSERT_EQ(client.acquire(), "granted");
  for (const auto* const lock : {lock_job, "LOCK TABLE tenure.lease"}) {
    Application other(server.url());
    other.query("BEGIN");
    other.query(lock);
    EXPECT_EQ(client.release(), "busy") << lock;
  }
  // As CREATE INDEX does: rows may be locked, and not be changed.
  {
    Application other(server.url());
    other.query("BEGIN");
    other.query("LOCK TABLE tenure.lease IN SHARE ROW EXCLUSIVE MODE");
    EXPECT_EQ(client.renew(), "busy");
    EXPECT_EQ(server.query(
                  "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%renew%' AND "
                  "pid <> pg_backend_pid()"),
              "0");
  }
  Application other(server.url());
  other.query("BEGIN");
  other.query("LOCK TABLE tenure.lease");
  EXPECT_EQ(client.acquire("another"), "busy");
  EXPECT_EQ(client.renew(), "busy");
  EXPECT_EQ(client.said_to(core::LookRequest{{"job"}}), "busy");
  EXPECT_EQ(client.said_to(core::ClockRequest{}), "busy");
  EXPECT_EQ(server.query("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"), "0");
  other.query("ROLLBACK");
  EXPECT_EQ(client.renew(), "done") << "on the same connection";
  other.query("BEGIN");
  other.query("LOCK TABLE tenure.session, tenure.state, tenure.beat, tenure.fleet");
  for (const char* question :
       {"SELECT tenure.sessions('poll', 0, 100)", "SELECT tenure.session_text('poll', 's', 100)",
        "SELECT tenure.results('poll', '{s}', 100)", "SELECT tenure.lists('poll', '{i}')"}) {
    EXPECT_NE(Application(server.url()).error(question).find("lock timeout"), std::string::npos) << question;
  }
  other.query("ROLLBACK");
  EXPECT_EQ(client.release(), "done");
}

TEST_F(Faults, AStatementThatTakesTooLongForTheServerChangesNothing) {
  know_job();
  server.execute("ALTER ROLE tenure SET statement_timeout = '100ms'");
  Application other(server.url_of("postgres"));
  other.query("BEGIN");
  other.query(lock_job);
  Contender hurried(server, "web-2");
  EXPECT_EQ(hurried.acquire(), "busy");
  EXPECT_EQ(hurried.failure().applied, core::Applied::no);
  EXPECT_NE(hurried.failure().detail.find("statement_timeout"), std::string::npos)
      << hurried.failure().detail;
  other.query("ROLLBACK");
  EXPECT_FALSE(is_held());
  EXPECT_TRUE(wait_until([&] { return hurried.acquire() == "granted"; })) << hurried.failure().detail;
}

TEST_F(Faults, AServerThatTakesNoWritesIsReadOnly) {
  server.execute("ALTER ROLE tenure SET default_transaction_read_only = on");
  Contender reader(server, "web-2");
  EXPECT_EQ(reader.acquire(), "read only");
  EXPECT_EQ(reader.failure().applied, core::Applied::no);
  server.execute("ALTER ROLE tenure RESET ALL");
  Contender writer(server, "web-3");
  EXPECT_EQ(writer.acquire(), "granted");

  PostgresServer standby({.replica_of = &server});
  Contender astray(standby, "web-4");
  EXPECT_EQ(astray.acquire(), "read only");
  EXPECT_NE(astray.failure().detail.find("primary"), std::string::npos) << astray.failure().detail;
}

// What the role is told to do by default is not what Tenure was made for: whatever it asks is done, or busy, and never half.
TEST_F(Faults, StricterIsolationByDefaultMakesNothingWrong) {
  for (const char* level : {"repeatable read", "serializable"}) {
    server.execute("ALTER ROLE tenure SET default_transaction_isolation = '" + std::string(level) + "'");
    Contender one(server, "web-2");
    Contender two(server, "web-3");
    const auto until_done = [](auto ask) {
      std::string said = "busy";
      for (int i = 0; i < 100 && said == "busy"; ++i) said = ask();
      return said;
    };
    EXPECT_EQ(until_done([&] { return one.acquire(); }), "granted") << level;
    EXPECT_EQ(until_done([&] { return two.wait(); }), "held by web-2") << level;
    EXPECT_EQ(until_done([&] { return one.renew(); }), "done") << level;
    EXPECT_EQ(until_done([&] { return one.release(); }), "done") << level;
    EXPECT_EQ(until_done([&] { return two.wait(); }), "granted") << level;
    EXPECT_GT(two.token(), one.token()) << level;
    EXPECT_EQ(until_done([&] { return one.acquire(); }), "held by web-3") << level;
    EXPECT_EQ(until_done([&] { return two.release(); }), "done") << level;
  }
}

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

class FewConnections : public Faults {
 protected:
  FewConnections() : Faults({"max_connections=6", "superuser_reserved_connections=2"}) {}
};

TEST_F(FewConnections, AServerWithoutAConnectionLeftIsFullUntilOneIsFree) {
  std::list<Application> all;
  while (all.size() < 4) all.emplace_back(server.url());
  EXPECT_EQ(client.acquire(), "full");
  EXPECT_EQ(client.failure().applied, core::Applied::no);
  EXPECT_NE(client.failure().detail.find("max_connections"), std::string::npos) << client.failure().detail;
  EXPECT_EQ(server.query(sessions), "4");
  all.pop_back();
  // A process of the server is not shown any more before its place is free.
  EXPECT_TRUE(wait_until([&] { return client.acquire() == "granted"; }));
}

// A small disk among the files of a server. Only this process sees it, and what it starts from now on.
class SmallDisk {
 public:
  static bool possible() {
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  }
  SmallDisk(const PostgresServer& server, int megabytes) : path_(server.directory() / "small") {
    struct stat owner{};
    std::filesystem::create_directory(path_);
    const bool known = stat(server.directory().c_str(), &owner) == 0;
    const std::string options =
        "size=" + std::to_string(megabytes) + "m,mode=700,uid=" + std::to_string(owner.st_uid);
    if (!known || mount("tmpfs", path_.c_str(), "tmpfs", 0, options.c_str()) != 0)
      throw std::runtime_error("cannot mount " + path_.string());
  }
  ~SmallDisk() { umount2(path_.c_str(), MNT_DETACH); }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void fill() {
    std::ofstream rest(path_ / "rest");
    while (rest << std::string(4'096, '.') << std::flush) continue;
  }
  void make_room() { std::filesystem::remove(path_ / "rest"); }

 private:
  std::filesystem::path path_;
};

TEST(Disk, AServerWhoseDiskIsFullSaysSoAndGoesOnWhenItIsNot) {
  if (!SmallDisk::possible()) GTEST_SKIP() << "only root can mount a small disk";
  PostgresServer server;
  SmallDisk disk(server, 1);
  set_up(server);
  server.execute("CREATE TABLESPACE small LOCATION '" + disk.path().string() + "'");
  server.execute("ALTER TABLE tenure.lease SET TABLESPACE small");
  Contender client(server);
  ASSERT_EQ(client.acquire("before"), "granted");

  disk.fill();
  // There is room for more in the page that it has, and not for another page.
  std::string said = "granted";
  for (int i = 0; i < 100 && said == "granted"; ++i)
    said = client.acquire(std::string(500, 'x') + std::to_string(i));
  EXPECT_EQ(said, "full");
  EXPECT_EQ(client.failure().applied, core::Applied::no);
  EXPECT_NE(client.failure().detail.find("disk is full"), std::string::npos) << client.failure().detail;
  EXPECT_EQ(client.renew("before"), "done") << "nobody loses what it has";

  disk.make_room();
  EXPECT_EQ(client.acquire(std::string(500, 'y')), "granted");
}

// The log of a server, which cannot go on without it, moved to a disk of its own.
void move_log(PostgresServer& server, const SmallDisk& disk) {
  server.stop_fast();
  const std::string log = server.directory() / "data/pg_wal";
  const std::string to = disk.path();
  const std::string move =
      "cp -a " + log + " " + to + " && rm -r " + log + " && ln -s " + to + "/pg_wal " + log;
  if (std::system(move.c_str()) != 0) throw std::runtime_error("cannot move " + log);
  server.restart();
}

// Somebody writes until the server has ended: for the second time, while it recovers.
bool ends_for_want_of_room(const PostgresServer& server) {
  bool down = false;
  const auto write = [&] {
    try {
      server.execute("SELECT pg_logical_emit_message(false, '', repeat('.', 2000000))");
    } catch (const std::runtime_error&) {
      down = true;
    }
  };
  return wait_until(
      [&] {
        write();
        return down && server.log().find("database system is shut down") != std::string::npos;
      },
      60s);
}

TEST(Disk, AServerWithoutRoomForItsLogEndsAndForgetsNothing) {
  if (!SmallDisk::possible()) GTEST_SKIP() << "only root can mount a small disk";
  PostgresServer server({.settings = {"min_wal_size=32MB", "max_wal_size=32MB"}});
  SmallDisk disk(server, 64);
  move_log(server, disk);
  set_up(server);
  const Client holder = Client::open({.nodes = {server.url()}, .id = "web-1"}).value();
  const Client other = Client::open({.nodes = {server.url()}, .id = "web-2"}).value();
  auto lease = holder.lock("job", {.ttl = 60s}).try_acquire().value();
  ASSERT_TRUE(other.lock("free").try_acquire().value().release());
  Contender client(server, "web-3");
  ASSERT_EQ(client.acquire("redlock:job"), "held by web-1");
  const auto descriptors = open_descriptors();

  disk.fill();
  ASSERT_TRUE(ends_for_want_of_room(server)) << server.log();
  ASSERT_TRUE(client.hear_the_end());
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(client.acquire("redlock:free"), "unreachable");
    EXPECT_EQ(client.failure().applied, core::Applied::no);
    const auto refused = other.lock("free").try_acquire();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Refusal::Code::no_quorum) << refused.error().message;
    ASSERT_EQ(refused.error().failed.size(), 1U);
    EXPECT_NE(refused.error().failed.front().detail, "");
  }
  EXPECT_LE(open_descriptors(), descriptors);

  disk.make_room();
  server.restart();
  EXPECT_TRUE(wait_until([&] { return lease.extend().has_value(); }, 60s));
  EXPECT_FALSE(lease.lost().stop_requested());
  EXPECT_EQ(record_in(server), "open new durable");
  std::optional<Lease> next;
  ASSERT_TRUE(wait_until(
      [&] {
        auto tried = other.lock("free").try_acquire();
        if (tried) next = std::move(*tried);
        return next.has_value();
      },
      60s));
  EXPECT_GT(next->token(), lease.token());
  EXPECT_EQ(client.acquire("redlock:free"), "held by web-2");
  EXPECT_EQ(client.acquire("redlock:job"), "held by web-1");
  EXPECT_EQ(
      server.query(
          "SELECT string_agg(name, ' ' ORDER BY name) FROM tenure.lease WHERE ends > clock_timestamp()"),
      "redlock:free redlock:job");
  EXPECT_TRUE(wait_until([&] { return server.query(sessions) == "3"; }));
  EXPECT_LE(open_descriptors(), descriptors);
}

}  // namespace
}  // namespace tenure::test
