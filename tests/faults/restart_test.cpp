// A Redis that was killed and comes back: with nothing, with all of its data, or with what it knew a while ago.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <mutex>

#include "core/lease/record.hpp"
#include "support/forwarder.hpp"
#include "support/lease_client.hpp"
#include "support/lease_process.hpp"
#include "support/oracle.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using runtime::boot_now;

constexpr core::Ttl cap{2'000};

struct Persistence {
  std::string name;
  std::vector<std::string> arguments;

  friend void PrintTo(const Persistence& tested, std::ostream* out) { *out << tested.name; }
};

class RestartTest : public ::testing::TestWithParam<Persistence> {};

INSTANTIATE_TEST_SUITE_P(Redis, RestartTest,
                         ::testing::Values(Persistence{"F1_WithoutPersistence", {}},
                                           Persistence{"F2_WithAofEverySecond",
                                                       {"--appendonly", "yes", "--appendfsync", "everysec"}}),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(RestartTest, TheHolderKeepsLeaseAndTokenAndNobodyElseIsGrantedIt) {  // S1, S3, T32
  Nodes nodes(1, cap, {.arguments = GetParam().arguments});
  RedisServer& server = nodes[0];
  auto holder = client_of(nodes);
  auto other = client_of(nodes);
  Oracle oracle;
  auto lease = holder.acquire("redlock:a", wish(cap));
  ASSERT_TRUE(lease);
  const std::string value = server.command({"GET", "redlock:a"}).text;
  core::Token later = 0;
  {
    const Watch watch(oracle, "the holder", *lease);
    Wanting wanting(other, "redlock:a", wish(cap, for_ever));
    ASSERT_TRUE(wait_until([&] { return wanting.waits(); }));
    ASSERT_TRUE(is_renewed(*lease));

    server.restart();

    ASSERT_TRUE(wait_until([&] { return record_state(server) == "quarantined"; }));
    ASSERT_TRUE(wait_until([&] { return server.command({"GET", "redlock:a"}).text == value; }));
    EXPECT_FALSE(wanting.done());
    ASSERT_TRUE(wait_until([&] { return record_state(server) == "open"; }));
    ASSERT_TRUE(is_renewed(*lease));
    EXPECT_TRUE(lease->held());
    EXPECT_FALSE(lease->lost().stop_requested());
    EXPECT_EQ(server.command({"GET", "redlock:a"}).text, value);
    EXPECT_FALSE(wanting.done());

    EXPECT_EQ(lease->release().outcome, core::ReleaseOutcome::released);
    const auto next = wanting.get();
    ASSERT_TRUE(next);
    const Watch next_watch(oracle, "the next", *next);
    ASSERT_TRUE(is_renewed(*next));
    later = next->token();
  }
  EXPECT_GT(later, lease->token());
  oracle.judge();
}

TEST_P(RestartTest, AfterAHolderThatDiedWithItNewGrantsWaitForTheQuarantine) {  // S3, S7, L2
  Nodes nodes(1, cap, {.arguments = GetParam().arguments});
  RedisServer& server = nodes[0];
  Process holder(lease_process(nodes, {.key = "redlock:a", .ttl = cap}));
  ASSERT_TRUE(wait_until([&] { return holder.out().ends_with("\n"); })) << holder.err();
  const std::string said = holder.out();
  const core::Token token = std::stoull(said.substr(said.rfind('#') + 1));
  auto other = client_of(nodes);
  Wanting wanting(other, "redlock:a", wish(cap, for_ever));
  ASSERT_TRUE(wait_until([&] { return wanting.waits(); }));

  holder.send(SIGKILL);
  const core::Time killed = boot_now();
  server.restart();

  const auto next = wanting.get();
  ASSERT_TRUE(next);
  EXPECT_GE(boot_now() - killed, core::quarantine_length(cap));
  EXPECT_GT(next->token(), token);
}

TEST(Restart, F1_AHolderThatIsCutOffHasStoppedBeforeTheNextIsGrantedIt) {  // S4
  Nodes nodes(1, cap);
  RedisServer& server = nodes[0];
  Forwarder wire(server.socket_path());
  auto holder = client_of({wire.address()}, cap);
  auto other = client_of(nodes);
  Oracle oracle;
  auto lease = holder.acquire("redlock:a", wish(cap));
  ASSERT_TRUE(lease);
  {
    const Watch watch(oracle, "the holder", *lease);
    Wanting wanting(other, "redlock:a", wish(cap, for_ever));
    ASSERT_TRUE(wait_until([&] { return wanting.waits(); }));
    ASSERT_TRUE(is_renewed(*lease));

    wire.cut();
    server.restart();

    const auto next = wanting.get();
    ASSERT_TRUE(next);
    EXPECT_FALSE(lease->held());
    const Watch next_watch(oracle, "the next", *next);
    ASSERT_TRUE(is_renewed(*next));
  }
  EXPECT_TRUE(lease->lost().stop_requested());
  oracle.judge();
}

// What a disk image, or a file system that lies about fsync, brings back: another's grant, which is long over.
TEST(Restart, F2_DataThatWentBackToAnOlderGrantDoesNotTakeTheLeaseFromItsHolder) {  // T32, T49, M10
  // What is written survives a SIGKILL without fsync, and a slow disk is not what is tested.
  Nodes nodes(1, cap, {.arguments = {"--appendonly", "yes", "--appendfsync", "no"}});
  RedisServer& server = nodes[0];
  const auto files = server.directory() / "appendonlydir";
  const auto older = server.directory() / "older";
  std::string said;
  std::mutex said_mutex;
  auto holder = client_of(nodes, {.on_log = [&](const LogLine& line) {
                            const std::lock_guard lock(said_mutex);
                            said += line.message + "\n";
                          }});
  auto other = client_of(nodes);
  Oracle oracle;
  {
    auto before = other.acquire("redlock:a", wish(cap));
    ASSERT_TRUE(before);
    std::filesystem::copy(files, older);
    const Watch watch(oracle, "the one before", *before);
    EXPECT_EQ(before->release().outcome, core::ReleaseOutcome::released);
  }
  auto lease = holder.acquire("redlock:a", wish(cap));
  ASSERT_TRUE(lease);
  const std::string value = server.command({"GET", "redlock:a"}).text;
  {
    const Watch watch(oracle, "the holder", *lease);
    ASSERT_TRUE(is_renewed(*lease));

    server.kill();
    std::filesystem::remove_all(files);
    std::filesystem::rename(older, files);
    server.restart();

    ASSERT_TRUE(wait_until([&] { return server.command({"GET", "redlock:a"}).text == value; }))
        << "held " << lease->held() << ", loss "
        << static_cast<int>(lease->loss().value_or(core::LossReason{9})) << ", "
        << server.command({"GET", "redlock:a"}).text << " instead of " << value << ", "
        << server.command({"GET", "tenure:record"}).text << "\n"
        << said;
    const auto refused = other.acquire("redlock:a", wish(cap));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, core::RefusalCode::not_open);
    ASSERT_TRUE(wait_until([&] { return record_state(server) == "open"; }));
    EXPECT_TRUE(lease->held());
    EXPECT_EQ(server.command({"GET", "redlock:a"}).text, value);
  }
  EXPECT_EQ(lease->release().outcome, core::ReleaseOutcome::released);
  const auto next = other.acquire("redlock:a", wish(cap));
  ASSERT_TRUE(next);
  EXPECT_GT(next->token(), lease->token());
  oracle.judge();
}

}  // namespace
}  // namespace tenure::test
