// A lease that is given behind the release that takes it back: the session that all leases share would keep it for ever.
#include <thread>

#include "consul/bench.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using core::KeyAnswer;

class Late : public OnConsul, protected Bench {
 protected:
  Late() : Bench(options("web-1")) {}

  const core::Ttl ttl = 10s;
  const std::string kept = key("kept");
  const std::string late = key("late");
};

TEST_F(Late, IsGivenBackWithTheNextRenewalAndOtherLeasesHaveAnotherSession) {
  const core::Grant ours{"late-1", 1};
  const core::Grant gone{"late-1", 2};
  const auto granted = run(consul::acquire(desk(), {kept, ours, ttl}));
  ASSERT_TRUE(std::holds_alternative<core::Granted>(granted));
  const std::string session = shared.session(ttl).value();

  // It was asked for and not answered, is released, and is given only now.
  shared.doubt(late, gone, ttl);
  ASSERT_EQ(std::get<core::KeyAnswers>(run(consul::release(desk(), {late, gone}))).front(),
            KeyAnswer::missing);
  consul::Transaction given;
  given.lock(late, consul::lease_text({gone, ttl, 1, std::nullopt}), session);
  ASSERT_TRUE(run(talk.write({}, given)).value().done());
  ASSERT_NE(session_that_holds("late"), "");

  EXPECT_FALSE(shared.session(ttl)) << "it may keep what nobody wants";
  const core::Token token = std::get<core::Granted>(granted).token;
  const auto renewed = run(consul::renew(desk(), {ttl, {{kept, ours, token}}}));
  EXPECT_EQ(std::get<core::KeyAnswers>(renewed).front(), KeyAnswer::done);
  EXPECT_EQ(session_that_holds("late"), "");
  EXPECT_EQ(session_that_holds("kept"), session);
  ASSERT_TRUE(
      std::holds_alternative<core::Granted>(run(consul::acquire(desk(), {late, {"late-1", 3}, ttl}))));
  EXPECT_NE(session_that_holds("late"), session);
}

// Consul keeps the key of a session that has ended, with its value. A check in a transaction shows it as it was before.
TEST_F(Late, IsNotWhatIsGivenOverAKeyThatNobodyHasAnyMore) {
  const auto before = std::get<core::Granted>(run(consul::acquire(desk(), {kept, {"late-1", 1}, ttl}))).token;
  ASSERT_EQ(server.request("PUT", "/v1/session/destroy/" + session_that_holds("kept")).status, 200);
  ASSERT_NE(server.request("GET", "/v1/kv/" + prefix + "/kept/.lock").status, 404);
  const core::Grant next{"late-1", 2};
  EXPECT_TRUE(std::holds_alternative<core::Held>(run(consul::acquire(desk(), {kept, next, ttl}))))
      << "whoever had it may believe in it";
  std::this_thread::sleep_for(ttl);
  const auto token = token_of(run(consul::acquire(desk(), {kept, next, ttl})));
  EXPECT_GT(token, before + 1) << "the number of the change that gave it, and not that of the end before";
  const auto renewed = run(consul::renew(desk(), {ttl, {{kept, next, token}}}));
  EXPECT_EQ(std::get<core::KeyAnswers>(renewed).front(), KeyAnswer::done);
  // To a longer one, with the same token.
  const auto longer = run(consul::renew(desk(), {2 * ttl, {{kept, next, token}}}));
  EXPECT_EQ(std::get<core::KeyAnswers>(longer).front(), KeyAnswer::done);
  ASSERT_EQ(std::get<core::KeyAnswers>(run(consul::release(desk(), {kept, next}))).front(), KeyAnswer::done);
  EXPECT_EQ(session_that_holds("kept"), "");
}

TEST_F(Late, ThatIsAskedForAgainAndGivenStays) {
  const core::Grant ours{"late-1", 1};
  shared.doubt(late, ours, ttl);
  const auto granted = run(consul::acquire(desk(), {late, ours, ttl}));
  const core::Token token = std::get<core::Granted>(granted).token;
  for (int i = 0; i < 2; ++i) {
    const auto renewed = run(consul::renew(desk(), {ttl, {{late, ours, token}}}));
    EXPECT_EQ(std::get<core::KeyAnswers>(renewed).front(), KeyAnswer::done);
  }
  EXPECT_NE(session_that_holds("late"), "");
}

TEST_F(Late, ThatWasGivenWhenItWasAskedForAgainIsInDoubtBehindItsRelease) {
  const core::Grant ours{"web-1", 1};
  const core::Grant other{"web-1", 2};
  const core::Token token = token_of(run(consul::acquire(desk(), {kept, other, ttl})));
  const std::string session = shared.session(ttl).value();
  shared.doubt(late, ours, ttl);
  token_of(run(consul::acquire(desk(), {late, ours, ttl})));
  EXPECT_EQ(first_of(run(consul::release(desk(), {late, ours}))), KeyAnswer::done);
  // What was asked for first.
  consul::Transaction given;
  given.lock(late, consul::lease_text({ours, ttl, 1, std::nullopt}), session);
  ASSERT_TRUE(run(talk.write({}, given)).value().done());
  EXPECT_EQ(first_of(run(consul::renew(desk(), {ttl, {{kept, other, token}}}))), KeyAnswer::done);
  EXPECT_EQ(session_that_holds("late"), "");
}

// Where data was lost the numbers of changes begin again, and a record of another life can have the number of the one before.
TEST_F(Late, IsNothingThatIsGivenByARecordOfAnotherLifeWithTheSameNumber) {
  ASSERT_TRUE(run(consul::admit(desk())));
  ASSERT_TRUE(desk().is_open());
  const consul::Standing before = standing;
  ASSERT_EQ(server.request("DELETE", "/v1/kv/" + prefix + "/?recurse").status, 200);
  ASSERT_TRUE(run(consul::admit(desk())));
  ASSERT_FALSE(desk().is_open());
  const consul::Index index = standing.index;
  standing = before;
  standing.index = index;
  const auto refused = run(consul::acquire(desk(), {late, {"late-1", 1}, ttl}));
  const auto* closed = std::get_if<core::NotOpen>(&refused);
  ASSERT_NE(closed, nullptr);
  EXPECT_EQ(session_that_holds("late"), "");
}

TEST_F(Late, IsNothingThatIsGivenWhereSomebodyHasDeletedTheEpoch) {
  ASSERT_EQ(server.request("DELETE", "/v1/kv/" + prefix + "/.tenure/epoch/?recurse").status, 200);
  const auto refused = run(consul::acquire(desk(), {late, {"late-1", 1}, ttl}));
  const auto* closed = std::get_if<core::NotOpen>(&refused);
  ASSERT_NE(closed, nullptr);
  ASSERT_TRUE(closed->record.read);
  EXPECT_FALSE(closed->record.read->open);
}

// What a server does that was restored from a copy.
TEST_F(Late, ThanTheDataIsNothingThatIsGivenWhereItWentBack) {
  shared.see(core::token_max);
  const auto refused = run(consul::acquire(desk(), {late, {"late-1", 1}, ttl}));
  const auto* closed = std::get_if<core::NotOpen>(&refused);
  ASSERT_NE(closed, nullptr);
  ASSERT_TRUE(closed->record.read);
  EXPECT_FALSE(closed->record.read->open);
  EXPECT_EQ(closed->record.read->why, "restored");
  EXPECT_EQ(session_that_holds("late"), "");
}

}  // namespace
}  // namespace tenure::test
