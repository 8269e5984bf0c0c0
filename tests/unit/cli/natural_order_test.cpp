// Names stand in the order in which people count.
#include "cli/natural_order.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tenure::cli {
namespace {

bool is_before(std::string_view one, std::string_view other) {
  return natural_order(one, other) < 0 && natural_order(other, one) > 0;
}

TEST(NaturalOrder, TwoComesBeforeTen) {
  std::vector<std::string> names{"web-10", "web-2", "web", "web-1", "db-3", "web-2b", "web-2a"};
  std::ranges::sort(names, NaturalLess{});
  EXPECT_EQ(names, (std::vector<std::string>{"db-3", "web", "web-1", "web-2", "web-2a", "web-2b", "web-10"}));
}

TEST(NaturalOrder, EveryNumberInANameCounts) {
  EXPECT_TRUE(is_before("a2-b9", "a2-b10"));
  EXPECT_TRUE(is_before("a2-b10", "a10-b9"));
  EXPECT_TRUE(is_before("10.0.0.9", "10.0.0.10"));
}

TEST(NaturalOrder, LeadingZerosCountOnlyWhereNothingElseDiffers) {
  EXPECT_TRUE(is_before("s-01", "s-1"));
  EXPECT_TRUE(is_before("s-1", "s-02"));
  EXPECT_TRUE(is_before("s-01-b", "s-1-c"));
  EXPECT_TRUE(is_before("s-1-b", "s-01-c"));
  EXPECT_TRUE(is_before("s-0", "s-1"));
  EXPECT_TRUE(is_before("s-0", "s-00")) << "a total order: different names are never equal";
}

TEST(NaturalOrder, NumbersMayBeLongerThanAnyInteger) {
  const std::string nines(400, '9');
  EXPECT_TRUE(is_before("s-" + nines, "s-1" + std::string(400, '0')));
  EXPECT_TRUE(is_before("s-18446744073709551615", "s-18446744073709551616"));
  EXPECT_TRUE(is_before("s-" + std::string(400, '0') + "1", "s-2"));
}

TEST(NaturalOrder, OtherCharactersCompareAsBytes) {
  EXPECT_TRUE(is_before("", "a"));
  EXPECT_TRUE(is_before("B", "a"));
  EXPECT_TRUE(is_before("z", "é")) << "as unsigned bytes";
  EXPECT_TRUE(is_before("a-", "a1"));
  EXPECT_TRUE(is_before("a1", "aa"));
}

// Few letters, so that names often share a beginning.
rc::Gen<std::string> names() {
  return rc::gen::container<std::string>(rc::gen::element('0', '1', '2', '9', '-', 'a', 'b'));
}

RC_GTEST_PROP(NaturalOrder, IsATotalOrder, ()) {
  const auto a = *names();
  const auto b = *names();
  const auto c = *names();
  RC_ASSERT((natural_order(a, b) == 0) == (a == b));
  RC_ASSERT((natural_order(a, b) < 0) == (natural_order(b, a) > 0));
  const bool in_order = natural_order(a, b) <= 0 && natural_order(b, c) <= 0;
  RC_ASSERT((!in_order || natural_order(a, c) <= 0));
}

}  // namespace
}  // namespace tenure::cli
