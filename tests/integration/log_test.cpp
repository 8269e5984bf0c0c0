// The log of a client: which lines there are, on which level, with which fields.
#include <algorithm>

#include "integration/api.hpp"
#include "support/polling.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

struct LogTest : ::testing::Test {
  Client open_with_log(LogLevel level) {
    ClientOptions options = options_for(nodes);
    options.log_level = level;
    options.on_log = [this](const LogLine& line) { lines.add(line); };
    return Client::open(options).value();
  }

  std::optional<LogLine> find(std::string_view event) const {
    const auto all = lines.all();
    const auto found = std::ranges::find(all, event, &LogLine::event);
    return found == all.end() ? std::nullopt : std::optional(*found);
  }

  // Waits for it.
  LogLine expect(std::string_view event) const {
    EXPECT_TRUE(wait_until([&] { return find(event).has_value(); })) << event;
    return find(event).value_or(LogLine());
  }

  Nodes nodes{1};
  Record<LogLine> lines;
};

TEST_F(LogTest, ALeaseIsLoggedByItsNameAndTokenFromItsGrantToItsRelease) {
  const Client client = open_with_log(LogLevel::debug);
  auto lease = client.lock("a", short_lease()).try_acquire();
  ASSERT_TRUE(lease) << lease.error().message;
  const std::vector<LogField> fields{{"name", "a"}, {"token", lease->token()}};
  const LogLine acquired = expect("lease_acquired");
  EXPECT_EQ(acquired.level, LogLevel::info);
  EXPECT_EQ(acquired.message, "redlock:a was acquired (token " + std::to_string(lease->token()) + ")");
  EXPECT_EQ(acquired.fields, fields);
  const LogLine renewed = expect("lease_renewed");
  EXPECT_EQ(renewed.level, LogLevel::debug);
  EXPECT_EQ(renewed.fields, fields);
  EXPECT_EQ(lease->release(), Released::released);
  const LogLine released = expect("lease_released");
  EXPECT_EQ(released.level, LogLevel::info);
  EXPECT_EQ(released.fields, fields);
}

TEST_F(LogTest, ALossIsAWarningThatSaysWhyInAWordAndInASentence) {
  const Client client = open_with_log(LogLevel::info);
  const auto lease = client.lock("a", short_lease()).try_acquire();
  ASSERT_TRUE(lease) << lease.error().message;
  nodes[0].command({"DEL", "redlock:a"});
  const LogLine lost = expect("lease_lost");
  EXPECT_EQ(lost.level, LogLevel::warn);
  EXPECT_EQ(lost.fields.at(0), (LogField{"name", "a"}));
  EXPECT_EQ(lost.fields.at(2), (LogField{"reason", std::string(to_string(Loss::missing))}));
  EXPECT_TRUE(lost.message.find("its key is gone from the store") != std::string::npos) << lost.message;
  EXPECT_FALSE(find("lease_renewed")) << "that is for debug";
}

TEST_F(LogTest, LinesBelowItsLevelAreNotTold) {
  const Client client = open_with_log(LogLevel::warn);
  const auto lease = client.lock("a", short_lease()).try_acquire();
  ASSERT_TRUE(lease) << lease.error().message;
  nodes[0].command({"DEL", "redlock:a"});
  expect("lease_lost");
  EXPECT_EQ(lines.all().size(), 1U) << "it was told of in order, and of nothing before the loss";
}

TEST_F(LogTest, ACandidateThatCannotCampaignIsWarnedAndOneThatIsDeniedIsAnError) {
  const Client client = open_with_log(LogLevel::info);
  nodes[0].kill();
  auto election = client.election("myapp:leader").value();
  ASSERT_TRUE(election.start());
  const LogLine away = expect("no_quorum");
  EXPECT_EQ(away.level, LogLevel::warn);
  EXPECT_EQ(away.fields.at(0), (LogField{"name", "myapp:leader"}));
  EXPECT_EQ(away.fields.at(1), (LogField{"reason", "no_quorum"}));
  nodes[0].restart();
  nodes[0].command({"CONFIG", "SET", "requirepass", "another"});
  // Whoever came back before that is not asked for a password.
  nodes[0].command({"CLIENT", "KILL", "TYPE", "normal"});
  const LogLine denied = expect("access_denied");
  EXPECT_EQ(denied.level, LogLevel::error);
  EXPECT_EQ(denied.fields.at(1), (LogField{"reason", "denied"}));
}

}  // namespace
}  // namespace tenure::test
