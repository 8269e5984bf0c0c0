// Several nodes: what becomes of those that had not answered when a majority had given the lease.
#include "unit/lease/keeping.hpp"

namespace tenure::core {
namespace {

constexpr std::uint64_t number = 9;

struct Straggling : KeepingOnThree {
  RequestId unanswered = keep_without_last(number);

  // What the next renewal asks of the last node.
  Send renewal() {
    wake();
    for (const Send& it : desk.take<Send>()) {
      if (it.node == 2) return it;
    }
    ADD_FAILURE() << "the last node was not asked";
    return {};
  }
};

TEST_F(Straggling, ALateNodeThatMintedTheSameTokenHasTheLease) {
  reply(unanswered, Granted{number}, at(1s));
  EXPECT_TRUE(desk.actions.empty());
  EXPECT_TRUE(renews(renewal()));
}

// A renewal compares the token, so that the node must show it.
TEST_F(Straggling, ALateNodeThatMintedAnotherIsToldTheToken) {
  reply(unanswered, Granted{number - 2}, at(1s));
  const auto sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].node, 2U);
  EXPECT_EQ(sent[0].answer_within, timing.node_timeout);  // over the same connection (T12)
  const auto& confirm = std::get<ConfirmRequest>(sent[0].request);
  EXPECT_EQ(confirm.key, "key9");
  EXPECT_EQ(confirm.grant, Grant("us", number));
  EXPECT_EQ(confirm.token, number);
  reply(sent[0].id, KeyAnswers{KeyAnswer::done}, at(1s));
  EXPECT_TRUE(renews(renewal()));
}

// Whatever else it says, or if it says nothing: it is healed by the next renewal.
TEST_F(Straggling, ALateNodeThatDoesNotHaveItIsAskedToTakeIt) {
  const std::vector<Reply> replies{Held{{"web-3", 5}, 20s}, NotOpen{in_quarantine("e1")},
                                   failed(Applied::perhaps), KeyAnswers{KeyAnswer::missing}};
  for (const Reply& it : replies) {
    keeper = Keeper("us", 3);
    reply(keep_without_last(number), it, at(1s));
    EXPECT_TRUE(desk.actions.empty());
    EXPECT_TRUE(heals(renewal()));
  }
  keeper = Keeper("us", 3);
  keep_without_last(number);
  EXPECT_TRUE(heals(renewal()));
}

TEST_F(Straggling, AConfirmationThatCameTooLateArmsNothing) {
  reply(unanswered, Granted{number - 2}, at(1s));
  reply(desk.take<Send>().at(0).id, KeyAnswers{KeyAnswer::foreign}, at(1s));
  EXPECT_TRUE(heals(renewal()));
}

// T12, M55: its release has been sent, and nothing comes after it.
TEST_F(Straggling, NothingIsConfirmedOfALeaseThatWasLetGo) {
  keeper.let_go(LeaseId{number});
  reply(unanswered, Granted{number - 2}, at(1s));
  EXPECT_TRUE(desk.actions.empty());
  keeper.forget(LeaseId{number});
  EXPECT_TRUE(keeper.empty());
}

TEST_F(Straggling, WhatIsUnansweredCanBeGivenUpWithTheLease) {
  const RequestId other = keep_without_last(8);
  EXPECT_EQ(keeper.take_stragglers(LeaseId{number}), std::vector<RequestId>{unanswered});
  EXPECT_TRUE(keeper.take_stragglers(LeaseId{number}).empty());
  EXPECT_EQ(keeper.take_stragglers(LeaseId{8}), std::vector<RequestId>{other});
}

TEST_F(Straggling, NothingIsConfirmedOfALeaseThatIsForgottenOrOver) {
  reply(unanswered, Granted{number - 2}, timing.deadline(at(0s)));
  EXPECT_TRUE(desk.actions.empty());
  const RequestId other = keep_without_last(8);
  keeper.forget(LeaseId{8});
  EXPECT_FALSE(keeper.empty());  // it is still to be answered
  reply(other, Granted{6}, at(1s));
  EXPECT_TRUE(desk.actions.empty());
}

// It has a majority all the same, and nobody waits for the third.
TEST_F(Straggling, ALateNodeNeedsNoTimer) {
  const auto wake = keeper.wake();
  reply(unanswered, failed(Applied::perhaps), at(1s));
  EXPECT_EQ(keeper.wake(), wake);
}

}  // namespace
}  // namespace tenure::core
