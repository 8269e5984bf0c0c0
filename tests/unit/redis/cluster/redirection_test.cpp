#include "redis/cluster/redirection.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tenure::redis {
namespace {

using Kind = Redirection::Kind;

std::optional<Redirection> read(std::string text) { return read_redirection(Value::error(std::move(text))); }

TEST(Redirections, SayWhoServesTheSlot) {
  EXPECT_EQ(read("MOVED 3999 127.0.0.1:6381"), (Redirection{Kind::moved, 3999, {"127.0.0.1", 6381}}));
  EXPECT_EQ(read("ASK 16383 127.0.0.1:6381"), (Redirection{Kind::ask, 16383, {"127.0.0.1", 6381}}));
  EXPECT_EQ(read("MOVED 0 redis-2.redis.svc:7000"),
            (Redirection{Kind::moved, 0, {"redis-2.redis.svc", 7000}}));
}

TEST(Redirections, SayAnIpv6AddressWithoutBrackets) {
  EXPECT_EQ(read("MOVED 1 ::1:7000"), (Redirection{Kind::moved, 1, {"::1", 7000}}));
  EXPECT_EQ(read("ASK 1 2001:db8::7:7000"), (Redirection{Kind::ask, 1, {"2001:db8::7", 7000}}));
  EXPECT_EQ(read("MOVED 1 [::1]:7000"), (Redirection{Kind::moved, 1, {"::1", 7000}}));
}

// Redis says so when it does not know by which host it is reached, or has no name for it.
TEST(Redirections, WithoutAHostAreToTheOneThatWasAsked) {
  EXPECT_EQ(read("MOVED 3999 :6380"), (Redirection{Kind::moved, 3999, {"", 6380}}));
  EXPECT_EQ(read("MOVED 3999 ?:6380"), (Redirection{Kind::moved, 3999, {"", 6380}}));
}

TEST(Redirections, SayThatNobodyServesItNow) {
  EXPECT_EQ(read("TRYAGAIN Multiple keys request during rehashing of slot"),
            Redirection{.kind = Kind::try_again});
  for (const auto* text : {"CLUSTERDOWN Hash slot not served", "CLUSTERDOWN The cluster is down",
                           "CLUSTERDOWN The cluster is down and only accepts read commands", "CLUSTERDOWN"}) {
    EXPECT_EQ(read(text), Redirection{.kind = Kind::down}) << text;
  }
}

TEST(Redirections, AreNotReadFromWhatMakesNoSense) {
  for (const auto* text : {"",
                           "MOVED",
                           "MOVED ",
                           "MOVED 3999",
                           "MOVED 3999 ",
                           "MOVED 3999 6381",
                           "MOVED 3999 h:",
                           "MOVED 3999 h:0",
                           "MOVED 3999 h:65536",
                           "MOVED 3999 h:-1",
                           "MOVED 3999 h:7000x",
                           "MOVED 16384 h:7000",
                           "MOVED -1 h:7000",
                           "MOVED 65536 h:7000",
                           "MOVED x h:7000",
                           "MOVED  3999 h:7000",
                           "MOVED 3999 h:7000 more",
                           "MOVED 3999 a b:7000",
                           "MOVED 3999 [::1:7000",
                           "MOVED 3999 [::1]:1:7000",
                           "MOVED 3999 ::g:7000",
                           "MOVED 3999 h/x:7000",
                           "MOVED 3999 me@h:7000",
                           "MOVEDX 1 h:7000",
                           "moved 1 h:7000",
                           "TRYAGAINX",
                           "CLUSTERDOWNX",
                           "READONLY You can't write against a read only replica.",
                           "CROSSSLOT Keys in request"}) {
    EXPECT_EQ(read(text), std::nullopt) << text;
  }
  EXPECT_EQ(read(std::string("MOVED 1 ::1\0x:7000", 18)), std::nullopt);
  EXPECT_EQ(read("MOVED 1 " + std::string(254, 'a') + ":7000"), std::nullopt);
  EXPECT_EQ(read_redirection(Value::status("MOVED 1 h:7000")), std::nullopt);
  EXPECT_EQ(read_redirection(Value::string("CLUSTERDOWN")), std::nullopt);
}

// It may have written by then.
TEST(Redirections, AreNotWhatAScriptMetOnItsWay) {
  EXPECT_EQ(read("CLUSTERDOWN The cluster is down script: 6a4, on @user_script:7."), std::nullopt);
  EXPECT_EQ(read("ERR Script attempted to access a non local key in a cluster node script: 6a4, on "
                 "@user_script:7."),
            std::nullopt);
}

}  // namespace
}  // namespace tenure::redis
