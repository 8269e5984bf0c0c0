// A replica that is promoted without having seen the last grants, and the old master promoted again.
#include <gtest/gtest.h>

#include "support/forwarder.hpp"
#include "support/lease_client.hpp"
#include "support/oracle.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using core::RefusalCode;

constexpr core::Ttl cap{2'000};

// Two servers, each of which can follow the other over a wire that a test can cut; clients know one address.
class PromotionTest : public ::testing::Test {
 protected:
  struct Side {
    RedisServer server{{.tcp = true, .arguments = {"--repl-diskless-sync-delay", "0"}}};
    Forwarder wire{server.socket_path(), Forwarder::Listens::tcp};  // by which the other one follows it
  };

  void SetUp() override {
    // The first replica gives its master another replication id, so that this would be a new life.
    follow(b_, a_);
    init(a_.server, cap);
    ASSERT_TRUE(wait_until([&] { return record_state(b_.server) == "open"; }));
  }

  void follow(Side& replica, Side& master) {
    master.wire.mend();
    replica.server.command({"REPLICAOF", "127.0.0.1", std::to_string(master.wire.port())});
    master.server.command({"SET", "mark", std::to_string(++mark_)});
    ASSERT_TRUE(
        wait_until([&] { return replica.server.command({"GET", "mark"}).text == std::to_string(mark_); }));
  }

  // From here on the replica hears nothing more of its master.
  static void part(Side& master) { master.wire.cut(); }

  void promote(Side& side) {
    side.server.command({"REPLICAOF", "NO", "ONE"});
    clients_.point_at(side.server.socket_path());
  }

  std::string value_of(Side& side, const std::string& key) { return side.server.command({"GET", key}).text; }

  Side a_;
  Side b_;
  Forwarder clients_{a_.server.socket_path()};
  int mark_ = 0;
};

TEST_F(PromotionTest, F17_HoldersKeepTheirLeasesOverPromotionThereAndBack) {  // T32, S1, S3, S7
  auto holder = client_of({clients_.address()}, cap);
  auto other = client_of({clients_.address()}, cap);
  Oracle oracle;
  part(a_);
  auto lease = holder.acquire("redlock:a", wish(cap));
  ASSERT_TRUE(lease);
  const std::string value = value_of(a_, "redlock:a");
  ASSERT_EQ(value_of(b_, "redlock:a"), "") << "the grant is not replicated";
  {
    const Watch watch(oracle, "the holder", *lease);
    Wanting wanting(other, "redlock:a", wish(cap, for_ever));
    ASSERT_TRUE(wait_until([&] { return wanting.waits(); }));
    ASSERT_TRUE(is_renewed(*lease));

    promote(b_);
    ASSERT_TRUE(wait_until([&] { return value_of(b_, "redlock:a") == value; }));
    EXPECT_EQ(record_state(b_.server), "quarantined");
    follow(a_, b_);
    ASSERT_TRUE(wait_until([&] { return record_state(b_.server) == "open"; }));
    EXPECT_TRUE(lease->held());
    EXPECT_FALSE(wanting.done());

    // And back, again with a grant that the other one has not seen.
    ASSERT_TRUE(wait_until([&] { return record_state(a_.server) == "open"; })) << "the record is replicated";
    part(b_);
    auto second = holder.acquire("redlock:b", wish(cap));
    ASSERT_TRUE(second);
    EXPECT_GT(second->token(), lease->token());
    const std::string second_value = value_of(b_, "redlock:b");
    ASSERT_EQ(value_of(a_, "redlock:b"), "");
    ASSERT_TRUE(is_renewed(*second));
    promote(a_);
    ASSERT_TRUE(wait_until(
        [&] { return value_of(a_, "redlock:a") == value && value_of(a_, "redlock:b") == second_value; }));
    EXPECT_EQ(record_state(a_.server), "quarantined");
    const auto refused = other.acquire("redlock:c", wish(cap));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, RefusalCode::not_open);
    follow(b_, a_);
    ASSERT_TRUE(wait_until([&] { return record_state(a_.server) == "open"; }));
    ASSERT_TRUE(is_renewed(*lease));
    ASSERT_TRUE(is_renewed(*second));
    EXPECT_TRUE(lease->held());
    EXPECT_TRUE(second->held());
    EXPECT_FALSE(lease->lost().stop_requested());
    EXPECT_FALSE(second->lost().stop_requested());
    EXPECT_FALSE(wanting.done());

    EXPECT_EQ(lease->release().outcome, core::ReleaseOutcome::released);
    const auto next = wanting.get();
    ASSERT_TRUE(next);
    EXPECT_GT(next->token(), second->token());
    const Watch next_watch(oracle, "the next", *next);
    ASSERT_TRUE(is_renewed(*next));
  }
  oracle.judge();
}

TEST_F(PromotionTest, F17_AfterAHolderThatIsCutOffTheNextIsGrantedItOnlyWhenItHasStopped) {  // T32, S4
  Forwarder own_wire(a_.server.socket_path());
  auto holder = client_of({own_wire.address()}, cap);
  auto other = client_of({clients_.address()}, cap);
  Oracle oracle;
  part(a_);
  auto lease = holder.acquire("redlock:a", wish(cap));
  ASSERT_TRUE(lease);
  {
    const Watch watch(oracle, "the holder", *lease);
    ASSERT_TRUE(is_renewed(*lease));
    own_wire.cut();
    promote(b_);
    const auto next = other.acquire("redlock:a", wish(cap, for_ever));
    ASSERT_TRUE(next);
    EXPECT_GT(next->token(), lease->token());
    EXPECT_FALSE(lease->held());
    const Watch next_watch(oracle, "the next", *next);
    ASSERT_TRUE(is_renewed(*next));
  }
  oracle.judge();
}

}  // namespace
}  // namespace tenure::test
