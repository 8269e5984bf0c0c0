// What the status of a fleet is read from: heartbeats and results, and texts that only look like them.
#include "poll/fleet_json.hpp"

#include <gtest/gtest.h>

namespace tenure::poll {
namespace {

TEST(FleetJson, AHeartbeatSaysHowItsInstanceIs) {
  EXPECT_EQ(
      read_instance(
          R"({"boot":"0123456789abcdef","status":"ready","started":1794750636000,"weight":2,"owned":3,"version":17})"),
      (InstanceText{"ready", 1'794'750'636'000, 2, 3, 17}));
}

TEST(FleetJson, WhatIsNoHeartbeatIsNone) {
  for (const char* text : {"", "x", "[]", "{}", R"({"status":"ready"})",
                           R"({"status":1,"started":1,"weight":1,"owned":1,"version":1})",
                           R"({"status":"ready","started":1,"weight":0,"owned":1,"version":1})",
                           R"({"status":"ready","started":1,"weight":-1,"owned":1,"version":1})",
                           R"({"status":"ready","started":1,"weight":1,"owned":1.5,"version":1})",
                           R"({"status":"ready","started":1,"weight":99999999999,"owned":1,"version":1})"}) {
    EXPECT_FALSE(read_instance(text).has_value()) << text;
  }
}

TEST(FleetJson, AResultSaysWhetherItWentWellWhenAndHowLongItTook) {
  EXPECT_EQ(read_result(R"({"ok":true,"at":1794750636000,"took_ms":12,"status":200})"),
            (ResultText{true, "", 1'794'750'636'000, 12}));
  EXPECT_EQ(read_result(R"({"ok":false,"error":"no answer"})"), (ResultText{false, "no answer", {}}));
}

TEST(FleetJson, AResultIsReadAlsoWhereItsBodyIsCutOff) {
  EXPECT_EQ(read_result(R"({"at": 5, "ok": false, "error": "\"body\": x", "body": "<html>, and so)"),
            (ResultText{false, "\"body\": x", 5}));
  EXPECT_EQ(read_result(R"({"ok":true,"body":"a,b\)"), (ResultText{true, "", {}}));
  EXPECT_FALSE(read_result(R"({"body": "<html>)").has_value());
  EXPECT_FALSE(read_result(R"({"ok":true,"error":"cut o)").has_value());
}

TEST(FleetJson, AResultThatDoesNotSayIsNone) {
  for (const char* text : {"", "x", "{}", "true", R"({"ok":"yes"})", R"({"ok":1})"}) {
    EXPECT_FALSE(read_result(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace tenure::poll
