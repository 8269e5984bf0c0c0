#include "kubernetes/watch_event.hpp"

#include <gtest/gtest.h>

#include "kubernetes/api_call.hpp"

namespace tenure::kubernetes {
namespace {

const std::string changed =
    R"({"type":"MODIFIED","object":{"metadata":{"name":"a","resourceVersion":"7","uid":"u"},"spec":{"holderIdentity":"x"}}})";

TEST(WatchEvent, ComesInPiecesOfAnyLength) {
  const std::string text =
      changed + "\n" +
      R"({"type":"BOOKMARK","object":{"kind":"Lease","metadata":{"resourceVersion":"9"},"spec":{}}})" + "\n" +
      R"({"type":"DELETED","object":{"metadata":{"name":"a","resourceVersion":"10"}}})" + "\n" +
      R"({"type":"ERROR","object":{"kind":"Status","code":410}})" + "\n";
  for (const std::size_t length : {std::size_t{1}, std::size_t{7}, text.size()}) {
    EventLines lines;
    std::vector<WatchEvent> events;
    for (std::size_t from = 0; from < text.size(); from += length)
      ASSERT_TRUE(lines.take(std::string_view(text).substr(from, length), events));
    ASSERT_EQ(events.size(), 4U);
    EXPECT_EQ(events[0].kind, WatchEvent::Kind::changed);
    EXPECT_EQ(events[0].object, "a");
    EXPECT_EQ(events[0].lease.value().holder, "x");
    EXPECT_EQ(events[1].kind, WatchEvent::Kind::bookmark);
    EXPECT_EQ(events[1].version, "9");
    EXPECT_EQ(events[2].kind, WatchEvent::Kind::deleted);
    EXPECT_EQ(events[3].kind, WatchEvent::Kind::error);
  }
}

TEST(WatchEvent, NonsenseAndEndlessLinesAreToldAndNotKept) {
  EventLines lines;
  std::vector<WatchEvent> events;
  for (const auto* line : {"x\n", "{}\n",
                           R"({"type":"MODIFIED"})"
                           "\n",
                           R"({"type":"NEW","object":{}})"
                           "\n",
                           R"({"type":"MODIFIED","object":{"metadata":{}}})"
                           "\n"}) {
    lines.clear();
    EXPECT_FALSE(lines.take(line, events)) << line;
  }
  lines.clear();
  bool sound = true;
  for (int i = 0; i < 10 && sound; ++i) sound = lines.take(std::string(std::size_t{1} << 20U, ' '), events);
  EXPECT_FALSE(sound);
  EXPECT_TRUE(events.empty());
}

TEST(ApiFailure, HandsOnWhatTheServerSays) {
  const ApiCall write{"PUT", "/x", "{}"};
  const std::string body =
      R"({"kind":"Status","message":"leases.coordination.k8s.io is forbidden: User \"u\" cannot update"})";
  const auto forbidden = failure_of(write, {403, body});
  EXPECT_EQ(forbidden.code, core::FailureCode::no_permission);
  EXPECT_EQ(forbidden.applied, core::Applied::no);
  EXPECT_NE(forbidden.detail.find("cannot update"), std::string::npos) << forbidden.detail;
  EXPECT_EQ(failure_of(write, {401, "x"}).code, core::FailureCode::auth);
  EXPECT_EQ(failure_of(write, {429, ""}).code, core::FailureCode::busy);
  EXPECT_EQ(failure_of(write, {429, ""}).applied, core::Applied::no);
  EXPECT_EQ(failure_of(write, {500, ""}).applied, core::Applied::perhaps);
  EXPECT_EQ(failure_of({"GET", "/x"}, {500, ""}).applied, core::Applied::no);
  EXPECT_EQ(failure_of(write, {504, ""}).code, core::FailureCode::timed_out);
}

}  // namespace
}  // namespace tenure::kubernetes
