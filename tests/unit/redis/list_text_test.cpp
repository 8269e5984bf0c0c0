#include "redis/list_text.hpp"

#include <gtest/gtest.h>

namespace tenure::redis {
namespace {

using List = std::vector<core::SessionHash>;

TEST(AList, IsReadAsItWasWritten) {
  for (const List& list : {List{}, List{1}, List{0, 0x0123456789abcdef, ~core::SessionHash{0}}})
    EXPECT_EQ(read_list(list_text(list)), list);
}

// Instances on other machines must read it alike.
TEST(AList, HasTheLowestByteFirst) {
  EXPECT_EQ(list_text({0x0807060504030201}), "\x01\x02\x03\x04\x05\x06\x07\x08");
}

TEST(AList, WhatIsNoneIsNotRead) {
  EXPECT_EQ(read_list("1234567"), std::nullopt);
  EXPECT_EQ(read_list("123456789"), std::nullopt);
}

}  // namespace
}  // namespace tenure::redis
