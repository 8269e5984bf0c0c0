// P5: the id of a process says which host it is on and when it began.
#include "runtime/instance_id.hpp"

#include <gtest/gtest.h>

#include <ctime>

namespace tenure::runtime {
namespace {

TEST(InstanceId, SaysWhenItsProcessBegan) {
  const auto before = std::time(nullptr);
  const auto time = began(make_instance_id());
  ASSERT_TRUE(time);
  EXPECT_GE(*time, before);
  EXPECT_LE(*time, std::time(nullptr));
  EXPECT_EQ(began("web-3.eu-1794750636-46cde950"), 1794750636);
}

TEST(InstanceId, ThatSomebodyChoseSaysNothing) {
  for (const char* id :
       {"", "-", "web-3", "web-1794750636", "web-1794750636-46cde95", "web-1794750636-46CDE950",
        "web-17947-46cde950", "-1794750636-46cde950", "1794750636-46cde950", "web--46cde950", "-46cde950",
        "web-99999999999999999999-46cde950"}) {
    EXPECT_FALSE(began(id)) << id;
  }
}

}  // namespace
}  // namespace tenure::runtime
