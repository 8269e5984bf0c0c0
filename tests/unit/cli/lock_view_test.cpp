// What several nodes show for one name, put together: only a majority of all nodes holds it.
#include "cli/lock/lock_view.hpp"

#include <gtest/gtest.h>

namespace tenure::cli {
namespace {

using core::Ttl;
using redis::FoundKey;

const FoundKey nothing{};
const std::optional<FoundKey> silent{};

FoundKey shows(std::string value, long left = 1'000, std::int64_t waiters = 0) {
  return {std::move(value), Ttl(left), waiters};
}

TEST(LockView, AMajorityHolds) {
  const auto view = view_of("job", {shows("web-3#aa#7", 900, 2), nothing, shows("web-3#aa#7", 1'000, 1)});
  EXPECT_EQ(view.state, LockState::held);
  EXPECT_EQ(view.holder, (core::Holder{"web-3", 7}));
  EXPECT_EQ(view.left, Ttl(1'000));
  EXPECT_EQ(view.waiters, 2);
  EXPECT_EQ(view.shown_on, 2U);
}

TEST(LockView, AMinorityHoldsNothing) {
  const auto view = view_of("job", {shows("web-3#aa#7"), nothing, nothing});
  EXPECT_EQ(view.state, LockState::free);
  EXPECT_FALSE(view.taken());
  EXPECT_EQ(view.shown_on, 1U);
  EXPECT_EQ(view_of("job", {nothing, nothing, nothing}).state, LockState::free);
}

TEST(LockView, ANodeThatDoesNotAnswerMayBeTheOneThatIsMissing) {
  EXPECT_EQ(view_of("job", {shows("web-3#aa#7"), nothing, silent}).state, LockState::perhaps);
  EXPECT_EQ(view_of("job", {shows("web-3#aa#7"), shows("web-3#aa#7"), silent}).state, LockState::held);
  EXPECT_EQ(view_of("job", {nothing, nothing, silent}).state, LockState::free);
  EXPECT_EQ(view_of("job", {shows("web-3#aa#7"), nothing, nothing, nothing, silent}).state, LockState::free);
}

// Before the second round each node shows a token of its own; it is one grant all the same.
TEST(LockView, OneGrantMayShowSeveralTokens) {
  const auto view = view_of("job", {shows("web-3#aa#7"), shows("web-3#aa#9"), nothing});
  EXPECT_EQ(view.state, LockState::held);
  EXPECT_EQ(view.holder.token, 9U);
  EXPECT_EQ(view.grant, "web-3#aa#");
}

TEST(LockView, TwoGrantsOfOneOwnerAreNotAMajorityTogether) {
  const auto view = view_of("job", {shows("web-3#aa#7"), shows("web-3#bb#8"), nothing});
  EXPECT_EQ(view.state, LockState::free);
  EXPECT_EQ(view.holder.token, 8U);
}

TEST(LockView, WhatIsKeptBrokenOrForeignIsToldApart) {
  EXPECT_EQ(view_of("job", {shows("web-3#aa#0")}).state, LockState::kept);
  EXPECT_EQ(view_of("job", {shows("broken by me@host#aa#7")}).state, LockState::broken);
  const auto foreign = view_of("job", {shows("by hand", -1)});
  EXPECT_EQ(foreign.state, LockState::foreign);
  EXPECT_EQ(foreign.grant, "by hand");
  EXPECT_EQ(foreign.left, Ttl(-1));
  EXPECT_EQ(view_of("job", {shows("")}).state, LockState::foreign);  // a list, for example
}

TEST(LockView, ANodeWithoutExpiryLastsTheLongest) {
  EXPECT_EQ(view_of("job", {shows("x", 5), shows("x", -1), shows("x", 7)}).left, Ttl(-1));
}

TEST(LeaseName, TellsLocksElectionsAndSessionsApartByTheKey) {
  const auto is = [](const std::string& key, LeaseKind kind, const std::string& name,
                     const std::string& fleet = {}) {
    const auto found = lease_name(key, "redlock:");
    return found.kind == kind && found.name == name && found.fleet == fleet;
  };
  EXPECT_TRUE(is("redlock:job", LeaseKind::lock, "job"));
  EXPECT_TRUE(is("redlock:a:lease:b", LeaseKind::lock, "a:lease:b"));
  EXPECT_TRUE(is("app:leader", LeaseKind::election, "app:leader"));
  EXPECT_TRUE(is(":lease:x", LeaseKind::election, ":lease:x"));
  EXPECT_TRUE(is("poll:lease:s1", LeaseKind::session, "s1", "poll"));
  EXPECT_TRUE(is("a:b:lease:c:lease:d", LeaseKind::session, "c:lease:d", "a:b"));
}

}  // namespace
}  // namespace tenure::cli
