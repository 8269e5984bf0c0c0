// Pollers over a fleet on real nodes, at a pace that no session of a user has: hand-overs by the dozen, and the polled server's
// own log. S8, B8.
#include "http_target/http_target.hpp"
#include "support/polling.hpp"
#include "support/shared_fleet.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

class Worker {
 public:
  Worker(const Nodes& nodes, const std::string& id, const Named& named, bool strict = false)
      : client_(open(nodes, id)),
        fleet_(client_.fleet("poll", short_lives()).value()),
        poller_(*fleet_, std::make_unique<NamedSource>(named), HttpPoll{}, {.strict = strict}) {
    const auto joined = poller_.start();
    EXPECT_TRUE(joined) << (joined ? "" : joined.error().message);
  }

  std::size_t owned() const { return fleet_->owned_sessions().size(); }
  Poller& poller() { return poller_; }

 private:
  Client client_;
  std::unique_ptr<Fleet> fleet_;
  Poller poller_;
};

class FleetPollsTest : public testing::TestWithParam<std::size_t> {
 protected:
  FleetPollsTest() {
    Sessions all;
    for (const auto& id : sessions(9))
      all.good.push_back({.id = id, .address = target->url("/slow/20"), .interval = 100ms});
    named.set(std::move(all));
  }
  std::size_t visits() const { return target->visits().size(); }
  Nodes nodes{GetParam()};
  std::unique_ptr<http_target::HttpTarget> target = http_target::HttpTarget::open().value();
  Named named;
};
INSTANTIATE_TEST_SUITE_P(Nodes, FleetPollsTest, testing::Values(1, 3), testing::PrintToStringParamName());

TEST_P(FleetPollsTest, S8_HandOversUnderFullSpeedOverlapNowhere) {
  Worker stays(nodes, "web-0", named);
  ASSERT_TRUE(wait_until([&] { return stays.owned() == 9; }));
  for (int i = 1; i <= 5; ++i) {
    const auto before = visits();
    Worker comes(nodes, "web-" + std::to_string(i), named, i % 2 == 0);
    ASSERT_TRUE(wait_until([&] { return stays.owned() + comes.owned() == 9 && comes.owned() >= 4; }));
    ASSERT_TRUE(wait_until([&] { return visits() > before + 18; }));
    comes.poller().stop();
    EXPECT_EQ(comes.poller().counts().aborted, 0U) << "polls of 20 ms end by themselves";
    EXPECT_EQ(comes.poller().counts().refused, 0U);
    ASSERT_TRUE(wait_until([&] { return stays.owned() == 9; }));
  }
  EXPECT_EQ(overlaps(target->visits()), 0U);
}

}  // namespace
}  // namespace tenure::test
