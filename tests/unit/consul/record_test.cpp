// What admission makes of the record that it finds.
#include "consul/record_text.hpp"

#include <gtest/gtest.h>

namespace tenure::consul {
namespace {

constexpr std::int64_t now_ms = 1'790'000'000'000;
constexpr core::Token now_us = core::Token{1'790'000'000'000'000};
const core::Terms terms{core::Ttl(60'000), "1"};

Introduction who() { return {terms, "e-new", now_ms, now_ms, 0}; }

StoredRecord open_record() {
  return {{terms, "e-1", true, now_ms - 500'000, now_ms - 500'000, terms.cap, "unknown"},
          now_us - 400'000'000};
}

Entry entry_of(const StoredRecord& stored) { return {"r", record_text(stored), 0, "", 10}; }
Entry fence_at(Index index, core::Token put_back = 0) {
  return {"f", fence_text(put_back, "x"), 0, "", index};
}

TEST(ConsulRecord, IsReadAsItIsWritten) {
  const auto stored = open_record();
  const auto read = read_record(record_text(stored));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->record, stored.record);
  EXPECT_EQ(read->base, stored.base);
  for (const char* text : {"", "{}", "60000 1 abc open", "[1]", R"({"cap_ms":0})"})
    EXPECT_FALSE(read_record(text)) << text;
  std::string closed = record_text(stored);
  closed.replace(closed.find("open"), 4, "ajar");
  EXPECT_FALSE(read_record(closed));
}

TEST(ConsulRecord, WhereThereIsNoneAQuarantineBegins) {
  const auto made = admit(nullptr, nullptr, who());
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->record.open);
  EXPECT_TRUE(made->record.unknown());
  EXPECT_EQ(made->record.epoch, "e-new");
  EXPECT_EQ(made->record.longest, terms.cap);
}

TEST(ConsulRecord, ThatIsOpenOrOfOtherTermsStays) {
  const Entry open = entry_of(open_record());
  EXPECT_FALSE(admit(&open, nullptr, who()));
  auto stranger = who();
  stranger.terms.cap = core::Ttl(30'000);
  stranger.seen = now_us;
  EXPECT_FALSE(admit(&open, nullptr, stranger)) << "it is not his to change";
  const Entry nonsense{"r", "nonsense", 0, "", 10};
  EXPECT_FALSE(admit(&nonsense, nullptr, who()));
}

TEST(ConsulRecord, WhereTheDataWentBackAQuarantineBegins) {
  const auto stored = open_record();
  const Entry open = entry_of(stored);
  const Entry fence = fence_at(100);
  auto client = who();
  client.seen = stored.base + 100;
  EXPECT_FALSE(admit(&open, &fence, client)) << "it has seen what is there";
  client.seen = stored.base + 101;
  const auto made = admit(&open, &fence, client);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->record.why, "restored");
  EXPECT_EQ(made->base, stored.base) << "tokens never go below what they were counted from";
  EXPECT_FALSE(made->record.open);
  const Entry put_back = fence_at(100, stored.base + 200);
  EXPECT_FALSE(admit(&open, &put_back, client)) << "a holder has put its lease back";
}

TEST(ConsulRecord, WhoHasFoundThatTheDataWentBackBeginsAQuarantineWhateverStandsThere) {
  auto client = who();
  client.went_back = true;
  auto stored = open_record();
  const Entry open = entry_of(stored);
  EXPECT_EQ(admit(&open, nullptr, client).value().record.why, "restored");
  stored.record.open = false;
  stored.record.longest = core::Ttl(90'000);
  const Entry closed = entry_of(stored);
  const auto made = admit(&closed, nullptr, client).value();
  EXPECT_EQ(made.record.epoch, "e-new");
  EXPECT_EQ(made.record.longest, core::Ttl(90'000)) << "what was sat out is not over because it begins again";
}

TEST(ConsulRecord, OfAConsulThatIsNewIsOpenAtOnceAndReplacesNoOther) {
  const auto made = founded(nullptr, nullptr, who()).value();
  EXPECT_TRUE(made.record.open);
  EXPECT_EQ(made.base, now_us);
  const Entry open = entry_of(open_record());
  EXPECT_FALSE(founded(&open, nullptr, who()));
  auto stored = open_record();
  stored.record.open = false;
  const Entry unknown = entry_of(stored);
  EXPECT_TRUE(founded(&unknown, nullptr, who()));
  stored.record.why = "restored";
  const Entry restored = entry_of(stored);
  EXPECT_FALSE(founded(&restored, nullptr, who())) << "leases may last";
}

TEST(ConsulRecord, InQuarantineTokensFromBeforeItTellNothing) {
  auto stored = open_record();
  stored.record.open = false;
  stored.record.made_ms = stored.record.wall_ms = now_ms - 1'000;
  const Entry closed = entry_of(stored);
  auto client = who();
  client.seen = now_us - 2'000'000;
  EXPECT_FALSE(admit(&closed, nullptr, client));
  client.seen = now_us + 60'000'000;
  EXPECT_TRUE(admit(&closed, nullptr, client));
}

TEST(ConsulRecord, IsNotOpenedByWallClocks) {
  auto stored = open_record();
  stored.record.open = false;
  stored.record.made_ms = now_ms - 1'200'000;
  stored.record.wall_ms = now_ms - 1'200'000;
  const Entry closed = entry_of(stored);
  EXPECT_FALSE(admit(&closed, nullptr, who())) << "both are those of one machine, which have jumped";
}

TEST(ConsulRecord, OpensAboveAllThatIsKnownToHaveBeenGiven) {
  const auto stored = open_record();
  const Entry fence = fence_at(3, now_us + 7);
  auto client = who();
  EXPECT_EQ(opened(stored, nullptr, client).base, now_us);
  EXPECT_EQ(opened(stored, &fence, client).base, now_us + 7);
  client.seen = now_us + 9;
  EXPECT_EQ(opened(stored, &fence, client).base, now_us + 9);
  client.server_ms = 5;
  client.seen = 0;
  EXPECT_EQ(opened(stored, nullptr, client).base, stored.base) << "a clock that is wrong takes nothing back";
}

}  // namespace
}  // namespace tenure::consul
