// A client that is stopped past its TTL, as by a debugger, a hypervisor or a closed lid.
#include <gtest/gtest.h>

#include <csignal>

#include "redis/scripts.hpp"
#include "support/lease_client.hpp"
#include "support/lease_process.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

TEST(StoppedClient, F4_ItsFirstLookSaysNotHeldAndItsFencedWriteIsRefused) {  // T40, S2
  Nodes nodes(1);
  RedisServer& server = nodes[0];
  Process stopped(lease_process(nodes, {.key = "redlock:a", .ttl = 2s}));
  ASSERT_TRUE(wait_until([&] { return stopped.out().ends_with("\n"); })) << stopped.err();
  stopped.send(SIGSTOP);

  auto other = client_of(nodes);
  const auto next = other.acquire("redlock:a", wish(5s, 30s));
  ASSERT_TRUE(next);
  const std::string value = server.command({"GET", "redlock:a"}).text;
  const auto split = value.rfind('#') + 1;
  const auto stored = server.command({"EVAL", std::string(redis::publish_result_script.body), "2", "state:x",
                                      "redlock:a", value.substr(0, split), value.substr(split), "new", ""});
  EXPECT_EQ(stored, redis::Value::of(1));

  stopped.send(SIGCONT);
  EXPECT_EQ(stopped.exit_code(), 0);
  const std::string said = stopped.out();
  EXPECT_NE(said.find("woke held=0 stored=0 -1\n"), std::string::npos) << said;
  EXPECT_EQ(server.command({"HGET", "state:x", "result"}).text, "new");
  EXPECT_TRUE(next->held()) << "the release of the one that woke is not for this grant";
  EXPECT_EQ(server.command({"GET", "redlock:a"}).text, value);
}

}  // namespace
}  // namespace tenure::test
