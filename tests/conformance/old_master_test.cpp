// A master that too few replicas follow takes no writes: a real one, and the old master of a simulated failover.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "redis/script_call.hpp"
#include "sim/redis/node.hpp"
#include "support/redis_server.hpp"

namespace tenure::conformance {
namespace {

using core::Grant;
using core::Ttl;
using redis::CallBy;

const Grant grant("web-1", 1);
const core::Holding holding{"redlock:job", grant, 1'700'000'000'000'001};

// Whatever may be said of a lease.
std::vector<redis::Command> calls(const redis::Keyspace& keyspace) {
  const std::vector<core::Request> requests{
      core::AcquireRequest{.key = holding.key, .grant = grant, .ttl = Ttl(30'000)},
      core::ConfirmRequest{holding.key, grant, holding.token},
      core::RenewRequest{Ttl(30'000), {holding}},
      core::ReassertRequest{Ttl(30'000), true, {holding}},
      core::ReleaseRequest{.key = holding.key, .grant = grant},
      core::OpenRequest{"e1", 1},
      core::BeatRequest{.fleet = "poll:", .id = "web-1", .beat = {.boot = "b"}, .ttl = Ttl(30'000)},
      core::LookRequest{{holding.key}},
  };
  std::vector<redis::Command> calls{redis::admit_call({"e2", 1'790'000'000'000}, keyspace, CallBy::body)};
  calls.back().emplace_back("0");
  for (const core::Request& request : requests) {
    calls.push_back(redis::script_call(request, keyspace, "e1", CallBy::body));
    const bool tells_what_was_seen = std::holds_alternative<core::AcquireRequest>(request) ||
                                     std::holds_alternative<core::ReassertRequest>(request);
    if (tells_what_was_seen) calls.back().emplace_back("0");
  }
  return calls;
}

// The answer, or the code of an error: what else an error says is the server's own wording.
redis::Value without_wording(redis::Value said) {
  if (said.kind == redis::Value::Kind::error)
    said.text.resize(std::min(said.text.find(' '), said.text.size()));
  return said;
}

TEST(OldMaster, RefusesEveryScriptThatMayWriteBeforeItRunsAndAnswersLooks) {
  test::RedisServer real({.arguments = {"--min-replicas-to-write", "1"}});
  const redis::Keyspace keyspace;
  sim::ScriptHost host;
  sim::Judge judge(1);
  const sim::WallClock clock({}, 0, core::Duration(1));
  sim::Node simulated(0, host, keyspace, clock, judge, core::Random(1));
  const sim::TrueTime now{};
  simulated.fail_over(sim::Deposed::refuses, clock, now);

  for (const auto& command : calls(keyspace)) {
    const redis::Value said = real.command(command);
    EXPECT_EQ(without_wording(said), without_wording(simulated.run_at_old_master(command, now)))
        << command[1].substr(0, 120) << '\n'
        << said.text;
    EXPECT_EQ(said.kind == redis::Value::Kind::error,
              sim::ScriptArgs(command).kind != sim::ScriptArgs::Kind::look);
  }
  EXPECT_EQ(real.command({"DBSIZE"}).integer, 0);
}

}  // namespace
}  // namespace tenure::conformance
