#include "core/fleet/list_reader.hpp"

#include <gtest/gtest.h>

#include "unit/core/machine.hpp"

namespace tenure::core {
namespace {

using Ids = std::vector<std::string>;
using List = std::vector<SessionHash>;

struct AListReader : testing::Test {
  ListReader reader{"poll:", 2, 1s};
  Desk desk;
  std::vector<ListReader::Read> read;

  // The question, as it was sent.
  Send asked() {
    const auto sent = desk.take<Send>();
    EXPECT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent.at(0).node, 2U);
    return sent.at(0);
  }
  static Ids ids(const Send& sent) { return std::get<ListsRequest>(sent.request).ids; }
  void reply(RequestId request, const Reply& answer) {
    reader.on_reply(request, answer, at(1ms), desk.out, read);
  }
};

TEST_F(AListReader, AsksForSomeAtATimeAndForALongOneAlone) {
  reader.start({{0, "a", 10}, {1, "b", 65'526}, {2, "c", 1}, {3, "d", 200'000}}, at(0s), desk.out);
  Send sent = asked();
  EXPECT_EQ(ids(sent), (Ids{"a", "b"}));
  reply(sent.id, Lists{List{7}, std::nullopt});
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].list, List{7});
  EXPECT_EQ(read[1].list, std::nullopt);
  sent = asked();
  EXPECT_EQ(ids(sent), Ids{"c"});
  reply(sent.id, Lists{List{}});
  sent = asked();
  EXPECT_EQ(ids(sent), Ids{"d"});
  reply(sent.id, Lists{List{}});
  EXPECT_FALSE(reader.under_way());
  ASSERT_EQ(read.size(), 4U);
  EXPECT_EQ(read.back().member, 3U);
}

TEST_F(AListReader, TellsNothingOfWhatIsNotAnswered) {
  reader.start({{0, "a", 70'000}, {1, "b", 70'000}}, at(0s), desk.out);
  EXPECT_EQ(reader.wake(), at(1s));
  reader.on_timer(at(1s), desk.out);
  EXPECT_FALSE(reader.under_way()) << "a node that is silent would be so for the rest as well";
  EXPECT_TRUE(read.empty());
}

TEST_F(AListReader, TellsOfListsThatMayNotBeRead) {
  reader.start({{5, "a", 1}}, at(0s), desk.out);
  reply(asked().id, Failure{Applied::no, FailureCode::no_permission, "NOPERM"});
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].member, 5U);
  EXPECT_EQ(read[0].list, std::nullopt);
}

TEST_F(AListReader, TakesNoAnswerOfAnotherSizeOrToAnotherQuestion) {
  reader.start({{0, "a", 1}, {1, "b", 1}}, at(0s), desk.out);
  const RequestId request = asked().id;
  reply(RequestId{999}, Lists{List{1}, List{2}});
  EXPECT_TRUE(reader.under_way());
  reply(request, Lists{List{1}});
  EXPECT_FALSE(reader.under_way());
  EXPECT_TRUE(read.empty());
}

}  // namespace
}  // namespace tenure::core
