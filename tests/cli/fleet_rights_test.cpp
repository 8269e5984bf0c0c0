// A user with no more rights than the README asks for can run a fleet, and needs every one of them. T31, L11.
#include <csignal>
#include <fstream>
#include <stdexcept>

#include "support/paths.hpp"
#include "support/poll_fleet.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

// What stands behind these words, where the README says them last, up to the end of the block.
Words rights_of_readme(const std::string& before) {
  std::ifstream readme(std::string(paths::source_dir) + "/README.md");
  const std::string all((std::istreambuf_iterator<char>(readme)), {});
  const auto from = all.rfind(before);
  if (from == std::string::npos) throw std::runtime_error("the README does not say what a user needs");
  std::istringstream words(all.substr(from + before.size(), all.find("```", from) - from - before.size()));
  Words rights;
  for (std::string word; words >> word;) {
    if (word != "\\") rights.push_back(word);
  }
  return rights;
}

class FleetRights : public testing::Test {
 protected:
  const Words more = rights_of_readme("ACL SETUSER tenure ");
  RedisServer redis;

  void SetUp() override {
    const Words rights = rights_of_readme("ACL SETUSER tenure on >PASSWORD ") + more;
    const auto set = redis.command(Words{"ACL", "SETUSER", "tenure", "on", ">s3cret"} + rights);
    ASSERT_EQ(set.text, "OK");
    redis.command({"CONFIG", "RESETSTAT"});
  }
  // What was denied, and to whom.
  std::string denied() {
    std::string text;
    for (const auto& entry : redis.command({"ACL", "LOG"}).items) {
      for (const auto& field : entry.items) text += field.text + ' ';
      text += '\n';
    }
    return text;
  }
  Words here(Words words) const { return std::move(words) + Words{"--redis", redis.url("tenure:s3cret")}; }
};

TEST_F(FleetRights, T31_TheRightsOfTheReadmeAreEnoughForAFleetAndEachIsNeeded) {
  const auto target = http_target::HttpTarget::open().value();
  const auto done = [&](const Words& words) {
    const Result result = tenure(here(words));
    EXPECT_EQ(result.code, 0) << words[0] << ": " << result.err;
  };
  done({"init"});
  done({"sessions", "add", "a", target->url("/"), "--every", "4s"});
  done({"sessions", "add", "b", target->url("/"), "--every", "4s"});
  done({"sessions", "add", "b", target->url("/"), "--every", "4s"});  // as it is there already
  done({"sessions", "pause", "b"});
  done({"sessions", "resume", "b"});
  const auto one = start_tenure(here({"poll", "--ttl", "2s", "--id", "web-1"}));
  ASSERT_TRUE(prints(*one, R"("session": "b")")) << one->err();
  const auto two = start_tenure(here({"poll", "--ttl", "2s", "--id", "web-2", "--index"}));
  ASSERT_TRUE(prints(*two, "lease_acquired")) << two->err();
  const auto stored = [&] { return redis.command({"EXISTS", "state:a", "state:b"}).integer == 2; };
  EXPECT_TRUE(wait_until(stored)) << one->out() << two->out();
  // Whoever has an index reads only what has changed since.
  done({"sessions", "add", "c", target->url("/"), "--every", "4s"});
  EXPECT_TRUE(wait_until([&] { return redis.command({"EXISTS", "state:c"}).integer == 1; }))
      << one->out() << two->out();
  EXPECT_TRUE(wait_until([&] { return calls_of(redis, "zcard") > 0; })) << two->out() << denied();
  done({"status"});
  done({"explain", "a"});
  done({"sessions", "ls"});
  done({"sessions", "rm", "a"});
  for (const auto* process : {one.get(), two.get()}) {
    process->send(SIGTERM);
    EXPECT_EQ(process->exit_code(), 0);
    EXPECT_EQ(process->err(), "");
  }
  const std::string refusals = redis.command({"INFO", "errorstats"}).text;
  EXPECT_FALSE(has(refusals, "NOPERM")) << refusals << denied();
  for (const auto& right : more) {
    if (!right.starts_with("+")) continue;
    EXPECT_GT(calls_of(redis, right.substr(1)), 0) << right;
  }
}

TEST_F(FleetRights, ARightThatIsMissingIsNamed) {
  ASSERT_EQ(tenure(here({"init"})).code, 0);
  redis.command({"ACL", "SETUSER", "tenure", "-hkeys"});
  const Result refused = tenure(here({"poll", "--ttl", "2s", "--id", "web-1"}));
  EXPECT_EQ(refused.code, 69) << refused.err;
  EXPECT_TRUE(has(refused.err, "may not run HKEYS")) << refused.err;
  redis.command({"ACL", "SETUSER", "tenure", "+hkeys", "-scan"});
  const auto poll = start_tenure(here({"poll", "--ttl", "2s", "--id", "web-2"}));
  EXPECT_TRUE(wait_until([&] { return has(poll->out(), "SCAN"); })) << poll->out() << poll->err();
}

}  // namespace
}  // namespace tenure::test
