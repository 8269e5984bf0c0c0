// What is said to an API server, one answer after the other, and by nobody's clock but the observer's.
#include "kubernetes/lease_task.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "kubernetes/lease.hpp"
#include "poll/json_text.hpp"
#include "unit/kubernetes/fake_api.hpp"

namespace tenure::kubernetes {
namespace {

using namespace std::chrono_literals;
using core::KeyAnswer;

const core::Grant ours{"web-1", 0x1111};
const core::Grant theirs{"web-2", 0x2222};
constexpr auto ttl = 15s;

class LeaseTaskTest : public testing::Test {
 protected:
  struct Client {
    Sight sight{"ns", {}};
  };
  Outcome run(Client& client, Order order) {
    LeaseTask task("a", std::move(order));
    Step step = task.start(client.sight, now);
    for (int i = 0; i < 100; ++i) {
      if (auto* outcome = std::get_if<Outcome>(&step)) return *outcome;
      if (before_call) before_call(std::get<ApiCall>(step));
      step = task.on_answer(server.answer(std::get<ApiCall>(step)), client.sight, now);
    }
    ADD_FAILURE() << "it never ends";
    return core::misfit;
  }
  core::Token take(Client& client, const core::Grant& grant) {
    const auto outcome = run(client, Take{grant, ttl});
    const auto* granted = std::get_if<core::Granted>(&outcome);
    return granted != nullptr ? granted->token : 0;
  }
  KeyAnswer answer(Client& client, Order order) {
    const auto outcome = run(client, std::move(order));
    const auto* it = std::get_if<KeyAnswer>(&outcome);
    EXPECT_NE(it, nullptr) << outcome.index();
    return it != nullptr ? *it : KeyAnswer::locked;
  }
  void pass(core::Duration time) {
    now.boot += time;
    now.wall += std::chrono::duration_cast<Micros>(time);
  }

  FakeServer server;
  Client one;
  Client other;
  Moment now{core::Time(1000s), Micros(1'795'000'000s)};
  std::function<void(const ApiCall&)> before_call{};
};

TEST_F(LeaseTaskTest, WhatIsNewIsMadeInTwoCallsAndRenewedInOne) {
  const auto token = take(one, ours);
  EXPECT_EQ(token, 1'795'000'000'001'000U);
  EXPECT_EQ(server.calls, (std::vector<std::string>{"GET", "POST"}));
  EXPECT_EQ(server.spec("holderIdentity"), "\"web-1\"");
  EXPECT_EQ(server.spec("leaseDurationSeconds"), "15");
  EXPECT_EQ(server.spec("leaseTransitions"), "0");
  pass(5s);
  const std::string before = server.spec("renewTime");
  EXPECT_EQ(answer(one, Renew{ours, token, ttl}), KeyAnswer::done);
  EXPECT_EQ(server.calls.size(), 3U);
  EXPECT_NE(server.spec("renewTime"), before);
}

TEST_F(LeaseTaskTest, ARenewalAlwaysChangesTheTimeAlsoWhereTheClockWentBack) {
  const auto token = take(one, ours);
  now.wall -= 1h;
  const std::string before = server.spec("renewTime");
  EXPECT_EQ(answer(one, Renew{ours, token, ttl}), KeyAnswer::done);
  EXPECT_GT(server.spec("renewTime"), before);
}

TEST_F(LeaseTaskTest, AnotherTakesItOnlyAfterItHasSeenItUnchangedForItsWholeLength) {
  const auto token = take(one, ours);
  // However long it has been there for others: this one has just come.
  pass(1h);
  auto outcome = run(other, Take{theirs, ttl});
  EXPECT_EQ(std::get<core::Held>(outcome).left, core::Ttl(15'000));
  EXPECT_EQ(std::get<core::Held>(outcome).holder, (core::Holder{"web-1", token}));
  pass(14'999ms);
  outcome = run(other, Take{theirs, ttl});
  EXPECT_EQ(std::get<core::Held>(outcome).left, core::Ttl(1));
  pass(1ms);
  EXPECT_GT(take(other, theirs), token);
  EXPECT_EQ(server.spec("leaseTransitions"), "1");
  EXPECT_EQ(answer(one, Renew{ours, token, ttl}), KeyAnswer::foreign);
}

TEST_F(LeaseTaskTest, WhatHasRunOutIsNotRevived) {
  const auto token = take(one, ours);
  pass(15s);
  EXPECT_EQ(answer(one, Renew{ours, token, ttl}), KeyAnswer::missing);
  EXPECT_EQ(answer(one, GiveBack{ours}), KeyAnswer::missing);
  EXPECT_EQ(server.spec("holderIdentity"), "\"\"") << "others need not wait";
}

TEST_F(LeaseTaskTest, ARenewalBeginsItsLengthAnewForWhoeverWatches) {
  const auto token = take(one, ours);
  EXPECT_EQ(take(other, theirs), 0U);
  for (int i = 0; i < 10; ++i) {
    pass(5s);
    EXPECT_EQ(answer(one, Renew{ours, token, ttl}), KeyAnswer::done);
    EXPECT_EQ(take(other, theirs), 0U) << i;
  }
}

// The observer believes that it has run out, and the holder renews between its look and its write.
TEST_F(LeaseTaskTest, ARenewalThatComesBetweenTheLookAndTheWriteKeepsTheLease) {
  const auto token = take(one, ours);
  EXPECT_EQ(take(other, theirs), 0U);
  pass(10s);
  EXPECT_EQ(answer(one, Renew{ours, token, ttl}), KeyAnswer::done);
  EXPECT_EQ(take(other, theirs), 0U);
  pass(14s);
  EXPECT_EQ(answer(one, Renew{ours, token, ttl}), KeyAnswer::done);
  pass(2s);
  other.sight.seen.see("a", other.sight.seen.find("a")->lease, now.boot);
  // Its own renewal comes after the other has read that it is over.
  before_call = [&](const ApiCall& call) {
    if (call.method != "PUT") return;
    before_call = {};
    server.other_writes("web-1", 15, "2030-01-01T00:00:00.000000Z");
  };
  server.other_writes("web-1", 15, "2029-01-01T00:00:00.000000Z");
  EXPECT_EQ(take(other, theirs), 0U);
  pass(15s);
  EXPECT_EQ(take(other, theirs), 0U) << "what it meets is seen for the first time";
  pass(15s);
  EXPECT_NE(take(other, theirs), 0U);
}

TEST_F(LeaseTaskTest, OfTwoThatReadTheSameOneIsFirst) {
  before_call = [&](const ApiCall& call) {
    if (call.method != "POST") return;
    before_call = {};
    EXPECT_NE(take(other, theirs), 0U);
  };
  const auto outcome = run(one, Take{ours, ttl});
  ASSERT_TRUE(std::holds_alternative<core::Held>(outcome)) << outcome.index();
  EXPECT_EQ(std::get<core::Held>(outcome).holder.owner, "web-2");
}

TEST_F(LeaseTaskTest, TheSameGrantAskedAgainGetsItsToken) {
  const auto token = take(one, ours);
  pass(2s);
  EXPECT_EQ(take(one, ours), token);
  EXPECT_EQ(take(other, {"web-1", 0x3333}), 0U) << "another grant of the same owner";
}

TEST_F(LeaseTaskTest, TokensGrowOverReleasesAndOverADeletedObject) {
  core::Token last = 0;
  for (int i = 0; i < 5; ++i) {
    const auto token = take(one, ours);
    EXPECT_GT(token, last);
    last = token;
    EXPECT_EQ(answer(one, GiveBack{ours}), KeyAnswer::done);
    EXPECT_EQ(server.spec("holderIdentity"), "\"\"");
    EXPECT_EQ(answer(one, GiveBack{ours}), KeyAnswer::missing);
    // Deleted by hand in the same second: the number of changes has grown.
    server.lease.reset();
    server.version += 1;
  }
}

TEST_F(LeaseTaskTest, ALargerTokenThatStandsThereIsGoneBeyond) {
  const auto token = take(one, ours);
  EXPECT_EQ(answer(one, Confirm{ours, token + 1'000'000}), KeyAnswer::done);
  EXPECT_EQ(answer(one, Renew{ours, token, ttl}), KeyAnswer::foreign);
  EXPECT_EQ(answer(one, GiveBack{ours}), KeyAnswer::done);
  EXPECT_EQ(take(other, theirs), token + 1'000'001);
}

TEST_F(LeaseTaskTest, WhatClientGoTookFromUsIsNotOursThoughOurNonceStandsThere) {
  const auto token = take(one, ours);
  server.other_writes("elector", 6, "2026-11-19T00:00:00.000000Z");
  EXPECT_EQ(answer(one, Renew{ours, token, ttl}), KeyAnswer::foreign);
  EXPECT_EQ(answer(one, GiveBack{ours}), KeyAnswer::foreign);
  const auto outcome = run(other, Take{theirs, ttl});
  EXPECT_EQ(std::get<core::Held>(outcome).holder, (core::Holder{"elector", 0}));
  EXPECT_EQ(std::get<core::Held>(outcome).left, core::Ttl(6'000));
  // And given back by it: larger than what we had.
  server.other_writes("", 1, "2026-11-19T00:00:01.000000Z");
  EXPECT_GT(take(other, theirs), token);
}

TEST_F(LeaseTaskTest, SomebodyElseUnderOurOwnNameIsSomebodyElse) {
  const auto token = take(one, ours);
  server.other_writes("web-1", 15, "2026-11-19T00:00:00.000000Z");
  EXPECT_EQ(answer(one, Renew{ours, token, ttl}), KeyAnswer::foreign);
}

TEST_F(LeaseTaskTest, ALeaseThatWasDeletedIsMissingAndNotMadeAgain) {
  const auto token = take(one, ours);
  server.lease.reset();
  EXPECT_EQ(answer(one, Renew{ours, token, ttl}), KeyAnswer::missing);
  EXPECT_EQ(answer(one, PutBack{ours, token, ttl, false}), KeyAnswer::missing);
  EXPECT_FALSE(server.lease);
  EXPECT_EQ(answer(one, PutBack{ours, token, ttl, true}), KeyAnswer::done);
  EXPECT_EQ(answer(one, Renew{ours, token, ttl}), KeyAnswer::done);
}

TEST_F(LeaseTaskTest, WhatSomebodyHasHadSinceIsNotPutBack) {
  const auto token = take(one, ours);
  EXPECT_EQ(answer(one, GiveBack{ours}), KeyAnswer::done);
  EXPECT_NE(take(other, theirs), 0U);
  EXPECT_EQ(answer(other, GiveBack{theirs}), KeyAnswer::done);
  EXPECT_EQ(answer(one, PutBack{ours, token, ttl, true}), KeyAnswer::foreign);
}

TEST_F(LeaseTaskTest, WhatOthersWroteIntoTheObjectIsKept) {
  server.lease =
      poll::read_json(R"({"metadata":{"name":"a","uid":"u","resourceVersion":"5","labels":{"team":"x"},
                                     "annotations":{"note":"y"},"ownerReferences":[{"name":"z"}]},"spec":{"strategy":"later"}})")
          .value()
          .as_object();
  const auto token = take(one, ours);
  ASSERT_NE(token, 0U);
  EXPECT_EQ(answer(one, Renew{ours, token, ttl}), KeyAnswer::done);
  EXPECT_EQ(answer(one, GiveBack{ours}), KeyAnswer::done);
  const auto& metadata = server.lease->at("metadata");
  EXPECT_EQ(metadata.at("labels").at("team"), "x");
  EXPECT_EQ(metadata.at("annotations").at("note"), "y");
  EXPECT_EQ(metadata.at("ownerReferences").as_array().size(), 1U);
  EXPECT_EQ(server.spec("strategy"), "\"later\"");
}

TEST_F(LeaseTaskTest, WhoIsAlwaysOvertakenEndsWithAFailure) {
  const auto token = take(one, ours);
  before_call = [&](const ApiCall& call) {
    if (call.method == "PUT")
      server.lease->at("metadata").as_object()["resourceVersion"] = std::to_string(++server.version);
  };
  const auto outcome = run(one, Renew{ours, token, ttl});
  const auto* failure = std::get_if<core::Failure>(&outcome);
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(failure->applied, core::Applied::no);
}

TEST_F(LeaseTaskTest, AFailedReadHasChangedNothingAndAFailedWritePerhaps) {
  const core::Failure broken{core::Applied::perhaps, core::FailureCode::closed, "of the test"};
  LeaseTask task("a", Take{ours, ttl});
  Step step = task.start(one.sight, now);
  EXPECT_EQ(std::get<core::Failure>(task.on_failure(broken)).applied, core::Applied::no);
  step = task.on_answer(server.answer(std::get<ApiCall>(step)), one.sight, now);
  ASSERT_TRUE(std::get<ApiCall>(step).writes());
  EXPECT_EQ(std::get<core::Failure>(task.on_failure(broken)).applied, core::Applied::perhaps);
}

TEST_F(LeaseTaskTest, WithoutATimeOrANumberOfChangesThereIsNoToken) {
  EXPECT_FALSE(LeaseTask::fresh_token("1000", std::nullopt));
  EXPECT_FALSE(LeaseTask::fresh_token("new", 5s));
  EXPECT_FALSE(LeaseTask::fresh_token("9007199254740991", 5s));
  EXPECT_EQ(LeaseTask::fresh_token("7", 5s).value(), 5'000'007U);
}

}  // namespace
}  // namespace tenure::kubernetes
