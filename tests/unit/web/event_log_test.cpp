// What readers of server-sent events are told, wherever they begin.
#include "cli/web/event_log.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace tenure::cli {
namespace {

std::unique_ptr<http::EventStream> reader(EventLog& log, const std::string& behind = "") {
  http::Request request;
  request.last_event_id = behind;
  return log.read(request);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(EventLog, AReaderIsGreetedAndToldOfWhatComes) {
  EventLog log(100);
  log.add_change("change", "{\"before\":1}");
  const auto stream = reader(log);
  const auto first = stream->next();
  EXPECT_TRUE(first.starts_with("event: hello\ndata: {")) << first;
  EXPECT_TRUE(has(first, "\"id\": 101"));
  EXPECT_FALSE(has(first, "before"));
  EXPECT_EQ(stream->next(), "");
  log.add_change("change", "{\"a\":1}");
  log.add_change("many", "{\"b\":1}");
  EXPECT_EQ(stream->next(),
            "id: 102\nevent: change\ndata: {\"a\":1}\n\nid: 103\nevent: many\ndata: {\"b\":1}\n\n");
  EXPECT_EQ(stream->next(), "");
}

TEST(EventLog, ChangesOfAFleetAreToldToWhoWatchesIt) {
  EventLog log(100);
  const auto billing = log.read({}, "billing");
  const auto poll = log.read({}, "poll");
  billing->next();
  poll->next();
  log.add_change("change", "{\"a\":1}", "poll");
  log.add_change("change", "{\"b\":1}");
  EXPECT_EQ(billing->next(), "id: 102\nevent: change\ndata: {\"b\":1}\n\n");
  EXPECT_TRUE(has(poll->next(), "id: 101\nevent: change\ndata: {\"a\":1}"));
}

TEST(EventLog, OfLooksOnlyTheLastIsTold) {
  EventLog log(100);
  const auto stream = reader(log);
  stream->next();
  log.set_look({1, 10});
  log.set_look({2, 20});
  EXPECT_EQ(stream->next(), "event: look\ndata: {\"at_ms\": 2, \"next_ms\": 20, \"error\": null}\n\n");
  EXPECT_EQ(stream->next(), "");
  // Who comes later is told the last one, too.
  EXPECT_TRUE(has(reader(log)->next(), "{\"at_ms\": 2, "));
}

// Of several sources the one that is worst off counts: nothing is shown as live that is not.
TEST(EventLog, ALookIsAsOldAsTheOlderAndAsWrongAsTheWorseOfWhatIsWatched) {
  EventLog log(100);
  const auto billing = log.read({}, "billing");
  const auto poll = log.read({}, "poll");
  billing->next();
  poll->next();
  log.set_look({2, 20});
  log.set_look({1, 30, "no answer"}, "billing");
  log.set_look({3, 9}, "poll");
  EXPECT_TRUE(has(billing->next(), "{\"at_ms\": 1, \"next_ms\": 20, \"error\": \"no answer\"}"));
  EXPECT_TRUE(has(poll->next(), "{\"at_ms\": 2, \"next_ms\": 9, \"error\": null}"));
  log.set_look({4, 40}, "billing");
  EXPECT_EQ(poll->next(), "");
  EXPECT_TRUE(has(billing->next(), "{\"at_ms\": 2, \"next_ms\": 20, \"error\": null}"));
}

TEST(EventLog, WhoseConnectionBrokeGoesOnWhereItWas) {
  EventLog log(100);
  for (int i = 1; i <= 5; ++i) log.add_change("change", "{\"n\":" + std::to_string(i) + "}");
  const auto text = reader(log, "103")->next();
  EXPECT_FALSE(has(text, "\"n\":3"));
  EXPECT_TRUE(has(text, "id: 104\nevent: change\ndata: {\"n\":4}"));
  EXPECT_TRUE(has(text, "\"n\":5"));
  EXPECT_FALSE(has(text, "reset"));
}

TEST(EventLog, WhoWasAwayTooLongIsToldSo) {
  EventLog log(100, 3);
  for (int i = 1; i <= 5; ++i) log.add_change("change", "{}");
  EXPECT_FALSE(has(reader(log, "102")->next(), "reset"));
  const auto text = reader(log, "101")->next();
  EXPECT_TRUE(has(text, "id: 105\nevent: reset\ndata: {}")) << text;
  EXPECT_FALSE(has(text, "event: change"));
}

TEST(EventLog, ANumberThatWasNeverGivenIsOfAnotherProcess) {
  EventLog log(100);
  EXPECT_TRUE(has(reader(log, "900")->next(), "event: reset"));
  EXPECT_TRUE(has(reader(log, "7")->next(), "event: reset"));
  // What is no number is as good as none.
  EXPECT_FALSE(has(reader(log, "-1; drop")->next(), "event: reset"));
}

TEST(EventLog, WhoReadsSlowlyMissesNothingThatIsKept) {
  EventLog log(0, 5'000);
  const auto stream = reader(log);
  stream->next();
  const std::string data = "{\"x\":\"" + std::string(200, 'x') + "\"}";
  for (int i = 0; i < 2'000; ++i) log.add_change("change", data);
  std::size_t told = 0;
  for (std::string text = stream->next(); !text.empty(); text = stream->next()) {
    EXPECT_LT(text.size(), 70'000U);
    for (auto at = text.find("id: "); at != std::string::npos; at = text.find("id: ", at + 1)) told += 1;
  }
  EXPECT_EQ(told, 2'000U);
}

TEST(EventLog, ReadersAreCounted) {
  EventLog log(0);
  auto one = reader(log);
  const auto other = reader(log);
  EXPECT_EQ(log.readers(), 2U);
  one.reset();
  EXPECT_EQ(log.readers(), 1U);
}

}  // namespace
}  // namespace tenure::cli
