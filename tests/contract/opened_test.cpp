// What every store must do for the API, beside its nodes.
#include <gtest/gtest.h>

#include "contract/store.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

class Opened : public testing::TestWithParam<StoreKind> {
 protected:
  std::unique_ptr<Store> store = GetParam().make();
  std::shared_ptr<const runtime::Store> opened = store->open();
};

TEST_P(Opened, KnowsItsNodesAndTheirTerms) {
  ASSERT_EQ(opened->names().size(), 1U);
  EXPECT_FALSE(opened->several());
  EXPECT_EQ(opened->quorum(), 1U);
  EXPECT_EQ(opened->terms(), Store::terms());
  const auto nodes = opened->make_nodes();
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(nodes[0]->name(), opened->names()[0]);
  EXPECT_NE(opened->make_nodes()[0], nodes[0]) << "each engine has its own";
}

TEST_P(Opened, KeysOfLocksAreToldApartAndNamed) {
  const auto key = opened->lock_key("jobs:", "a");
  ASSERT_TRUE(key) << key.error();
  EXPECT_EQ(opened->name_in(*key), "jobs:a");
  EXPECT_NE(opened->lock_key("jobs:", "b").value(), *key);
  EXPECT_NE(opened->lock_key("", "a").value(), *key);
}

TEST_P(Opened, WhatTheStoreNeedsForItselfIsNoLock) {
  const auto own = store->own_name();
  if (!own) {
    // It keeps no leases among other things: then every name is free, and is still another lock than its neighbour.
    EXPECT_TRUE(opened->lock_key("tenure:", "fence"));
    return;
  }
  const auto refused = opened->lock_key(own->prefix, own->name);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find(own->name), std::string::npos) << refused.error();
}

TEST_P(Opened, FleetsHaveKeysOfTheirOwn) {
  const auto keys = opened->fleet_keys("poll");
  if (!GetParam().can.names_fleets) {
    ASSERT_FALSE(keys);
    EXPECT_NE(keys.error().find("PostgreSQL"), std::string::npos) << "where fleets can be: " << keys.error();
    return;
  }
  ASSERT_TRUE(keys) << keys.error();
  const auto others = opened->fleet_keys("others").value();
  EXPECT_FALSE(others.starts_with(*keys) || keys->starts_with(others)) << *keys << " and " << others;
  const auto refused = opened->fleet_keys("");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error(), "");
}

TEST_P(Opened, AFleetKeepsItsDataOnTheFirstNodeUnlessItIsToldOtherwise) {
  const auto place = opened->fleet_data("", {});
  if (!GetParam().can.keeps_fleets) {
    ASSERT_FALSE(place);
    const char* says = GetParam().can.names_fleets ? "another store" : "PostgreSQL";
    EXPECT_NE(place.error().find(says), std::string::npos) << place.error();
    return;
  }
  ASSERT_TRUE(place) << place.error();
  EXPECT_EQ(place->node, nullptr);
  EXPECT_NE(place->data.url, "");
  EXPECT_TRUE(place->data.leases) << "there is no other node";
  EXPECT_FALSE(opened->fleet_data("", {.ca_file = "ca.crt"})) << "for which address?";
  EXPECT_FALSE(opened->fleet_data("no address", {}));
}

TEST_P(Opened, ALookShowsWhoHoldsAName) {
  const std::string key = opened->lock_key("", "a").value();
  const auto shown = [&] { return opened->look(key, 5s).at(0).value(); };
  EXPECT_FALSE(shown().exists());
  Asking client(opened->make_nodes().at(0));
  const auto reply = client.ask(core::AcquireRequest{key, {"web-1", 0x1111}, core::Ttl(30'000)});
  ASSERT_TRUE(std::holds_alternative<core::Granted>(reply)) << "answer number " << reply.index();
  const core::KeyState state = shown();
  EXPECT_EQ(state.holder.value(), (core::Holder{"web-1", std::get<core::Granted>(reply).token}));
  EXPECT_EQ(state.grant.value(), (core::Grant{"web-1", 0x1111}));
  EXPECT_GT(state.left.value(), 0ms);
}

TEST_P(Opened, EachNodeIsPinged) {
  const auto answers = opened->ping(5s);
  ASSERT_EQ(answers.size(), 1U);
  ASSERT_TRUE(answers[0]) << answers[0].error().detail;
  EXPECT_GT(*answers[0], core::Duration::zero());
}

TEST_P(Opened, ANodeThatIsDownIsAFailureAndNothingIsThrown) {
  store->go_away();
  const auto looked = opened->look(opened->lock_key("", "a").value(), 1s);
  ASSERT_EQ(looked.size(), 1U);
  ASSERT_FALSE(looked[0]);
  EXPECT_NE(looked[0].error().detail, "");
  const auto pinged = opened->ping(1s);
  ASSERT_EQ(pinged.size(), 1U);
  ASSERT_FALSE(pinged[0]);
  const auto failures = opened->diagnosed(runtime::failures_in(pinged));
  ASSERT_EQ(failures.size(), 1U) << "a closer look takes none away";
  EXPECT_EQ(failures[0].node, 0U);
}

TEST_P(Opened, AStoreThatForgotItsLeasesSaysWhyItGivesNone) {
  if (!GetParam().can.forgets) GTEST_SKIP() << "it forgets nothing";
  store->lose_everything();
  Asking client(opened->make_nodes().at(0));
  const auto reply =
      client.ask(core::AcquireRequest{opened->lock_key("", "a").value(), {"web-1", 1}, core::Ttl(30'000)});
  const auto* closed = std::get_if<core::NotOpen>(&reply);
  ASSERT_NE(closed, nullptr) << "answer number " << reply.index();
  core::Refusal refusal{.code = core::RefusalCode::not_open};
  refusal.record = closed->record;
  const auto [text, why] = opened->not_open_text(refusal, runtime::Patience::leaves, std::nullopt);
  EXPECT_NE(text, "");
  ASSERT_TRUE(why);
  EXPECT_TRUE(why->why == NotOpen::Why::quarantine || why->why == NotOpen::Why::no_record);
}

INSTANTIATE_TEST_SUITE_P(Stores, Opened, testing::ValuesIn(all_stores()),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace tenure::test
