// --log-format and --log-level: one object a line, nothing else on the stream, and the levels that operators filter by. O3.
#include <csignal>

#include "cli/log_lines.hpp"
#include "cli/tenure_program.hpp"
#include "support/poll_fleet.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

const Words as_json{"--log-format", "json"};
const Words short_lease{"--ttl", "1s", "--id", "web-1"};

// Waits until it has logged that event.
bool logs(const Process& process, const std::string& event) {
  return wait_until([&] { return has(process.err(), R"("event": ")" + event + '"'); });
}

std::string level_of(const LogLines& lines, const std::string& event) {
  return lines.field(event, "level").value_or("there is none: " + lines.stream());
}

TEST(Log, O3_ALeaseOfRunIsLoggedFromItsGrantToItsLossAsJsonAndNothingElse) {
  ReadyRedis redis;
  const auto run = start_tenure(Job{.options = as_json + short_lease, .command = stay()}.words(redis.url()));
  const long token = number_printed(*run);
  ASSERT_TRUE(logs(*run, "lease_acquired")) << run->err();
  redis.command({"DEL", "redlock:job"});
  EXPECT_EQ(run->exit_code(), 79);
  const LogLines lines(run->err());
  EXPECT_EQ(level_of(lines, "lease_acquired"), "info");
  EXPECT_EQ(level_of(lines, "lease_lost"), "warn");
  EXPECT_EQ(level_of(lines, "command_stopped"), "warn");
  for (const char* event : {"lease_acquired", "lease_lost", "command_stopped"}) {
    EXPECT_EQ(lines.field(event, "instance"), "web-1") << lines.stream();
    EXPECT_EQ(lines.field(event, "name"), "job") << lines.stream();
    EXPECT_EQ(lines.field(event, "token"), std::to_string(token)) << lines.stream();
  }
  EXPECT_EQ(lines.field("lease_lost", "reason"), "missing") << lines.stream();
  EXPECT_EQ(lines.field("command_stopped", "reason"), "missing") << lines.stream();
}

TEST(Log, O3_ARedisThatGoesAwayIsAWarningAndTheLossAnother) {
  ReadyRedis redis;
  const auto run = start_tenure(Job{.options = as_json + short_lease, .command = stay()}.words(redis.url()));
  number_printed(*run);
  redis.kill();
  EXPECT_EQ(run->exit_code(), 79);
  const LogLines lines(run->err());
  EXPECT_EQ(level_of(lines, "lease_uncertain"), "warn");
  EXPECT_EQ(lines.field("lease_lost", "reason"), "not_renewed") << lines.stream();
}

TEST(Log, O3_ABusyNameIsNoErrorAndSaysWhoHasIt) {
  ReadyRedis redis;
  const auto first = start_tenure(Job{.options = {"--id", "web-3"}, .command = stay()}.words(redis.url()));
  const long token = number_printed(*first);
  const Result second = tenure(Job{.options = as_json + Words{"-n"}}.words(redis.url()));
  EXPECT_EQ(second.code, 75);
  const LogLines lines(second.err);
  EXPECT_EQ(lines.events(), Words{"busy"});
  EXPECT_EQ(level_of(lines, "busy"), "info");
  EXPECT_EQ(lines.field("busy", "holder"), "web-3");
  EXPECT_EQ(lines.field("busy", "holder_token"), std::to_string(token));
  EXPECT_EQ(lines.field("busy", "exit_code"), "75");
  const Result waited = tenure(Job{.options = as_json + Words{"--wait", "300ms"}}.words(redis.url()));
  EXPECT_EQ(waited.code, 124);
  EXPECT_EQ(LogLines(waited.err).events(), (Words{"name_held", "busy"}));
  const Result silent =
      tenure(Job{.options = as_json + Words{"-n", "--log-level", "error"}}.words(redis.url()));
  EXPECT_EQ(silent.code, 75);
  EXPECT_EQ(silent.err, "");
}

TEST(Log, O3_AQuarantineIsAWarningToWhoWaitsAndAnErrorToWhoDoesNot) {
  RedisServer redis;  // new to Tenure
  const auto waits = start_tenure(Job{.options = as_json}.words(redis.url()));
  ASSERT_TRUE(logs(*waits, "quarantine")) << waits->err();
  const Result refused = tenure(Job{.options = as_json + Words{"-n"}}.words(redis.url()));
  EXPECT_EQ(refused.code, 76);
  const LogLines told(refused.err);
  EXPECT_EQ(told.events(), Words{"failed"});
  EXPECT_EQ(level_of(told, "failed"), "error");
  EXPECT_EQ(told.field("failed", "reason"), "no_record") << told.stream();
  EXPECT_EQ(told.field("failed", "exit_code"), "76");
  EXPECT_TRUE(told.field("failed", "opens_in_ms")) << told.stream();
  EXPECT_TRUE(has(told.field("failed", "message").value_or(""), "tenure init --redis"))
      << "the advice is in it";
  waits->send(SIGTERM);
  EXPECT_EQ(waits->exit_code(), 128 + SIGTERM);
  const LogLines lines(waits->err());
  EXPECT_EQ(level_of(lines, "quarantine"), "warn");
}

TEST(Log, O3_AWrongPasswordIsAnErrorForAPersonAtEveryLevel) {
  ReadyRedis redis({.arguments = {"--requirepass", "secret"}, .password = "secret"}, ":secret");
  const std::string url = redis.url(":not-the-one");
  for (const Words& words :
       {Words{"run", "job", "--redis", url} + as_json + Words{"--", "true"},
        Words{"run", "job", "--redis", url, "--log-level", "error"} + as_json + Words{"--", "true"},
        Words{"elect", "job", "--redis", url} + as_json,
        Words{"poll", "--redis", url, "--log-level", "error"} + as_json}) {
    const Result refused = tenure(words);
    EXPECT_EQ(refused.code, 69) << refused.err;
    const LogLines lines(refused.err);
    EXPECT_EQ(level_of(lines, "failed"), "error");
    EXPECT_EQ(lines.field("failed", "reason"), "denied") << lines.stream();
    EXPECT_FALSE(has(refused.err, "not-the-one")) << refused.err;
    LogLines(refused.out);
  }
}

TEST(Log, O3_ElectKeepsItsEventsOnStdoutAndLogsOnStderr) {
  ReadyRedis redis;
  const auto elect =
      start_tenure(Words{"elect", "app:leader", "--id", "web-1", "--redis", redis.url()} + as_json);
  ASSERT_TRUE(prints(*elect, "leader id=web-1 term="));
  ASSERT_TRUE(logs(*elect, "lease_acquired")) << elect->err();
  elect->send(SIGTERM);
  EXPECT_EQ(elect->exit_code(), 0);
  EXPECT_TRUE(elect->out().starts_with("elected term=")) << elect->out();
  const LogLines lines(elect->err());
  EXPECT_EQ(lines.field("lease_acquired", "name"), "app:leader");
}

TEST(Log, O3_ElectWithACommandLogsWhoLeads) {
  ReadyRedis redis;
  const auto elect = start_tenure(Words{"elect", "app:leader", "--id", "web-1", "--redis", redis.url()} +
                                  as_json + Words{"--"} + stay());
  number_printed(*elect);
  ASSERT_TRUE(logs(*elect, "elected")) << elect->err();
  redis.command({"DEL", "app:leader"});
  ASSERT_TRUE(logs(*elect, "campaigning")) << elect->err();
  elect->send(SIGTERM);
  elect->exit_code();
  const LogLines lines(elect->err());
  EXPECT_EQ(level_of(lines, "elected"), "info");
  EXPECT_EQ(lines.field("elected", "leader"), "web-1");
  EXPECT_EQ(level_of(lines, "command_stopped"), "warn");
}

TEST(Log, O3_BothStreamsOfPollAreLogLinesWhateverFails) {
  PollFleet fleet({.sessions = 1, .words = Words{"--ttl", "1s"} + as_json});
  fleet.nodes[0].command({"SET", "session:bad", "{\"address\": \"\x01\xff\\\""});
  fleet.nodes[0].command(
      {"SET", "session:odd \"\x07\xfe", R"({"address": "http://127.0.0.1:1/", "interval_ms": 4000})"});
  auto& poller = fleet.start("web \"1\"");
  ASSERT_TRUE(prints(poller, "session_bad")) << fleet.told();
  ASSERT_TRUE(prints(poller, "lease_acquired")) << fleet.told();
  fleet.nodes[0].pause();
  ASSERT_TRUE(prints(poller, "lease_uncertain")) << fleet.told();
  ASSERT_TRUE(prints(poller, "lease_lost")) << fleet.told();
  fleet.nodes[0].resume();
  poller.send(SIGTERM);
  EXPECT_EQ(poller.exit_code(), 0);
  const LogLines lines(poller.out());
  const LogLines messages(poller.err());
  EXPECT_EQ(lines.field("starting", "instance"), "web \"1\"");
  EXPECT_EQ(level_of(lines, "session_bad"), "error");
  EXPECT_EQ(level_of(lines, "lease_uncertain"), "warn");
  EXPECT_EQ(lines.field("lease_uncertain", "session"), "s-1");
  EXPECT_TRUE(lines.field("lease_uncertain", "detail")) << lines.stream();
  EXPECT_EQ(level_of(lines, "lease_lost"), "warn");
  EXPECT_EQ(level_of(lines, "left"), "info");
}

TEST(Log, O3_APollThatFailsIsAWarningAndStartsAreForDebug) {
  PollFleet fleet({.sessions = 0, .words = Words{"--ttl", "1s", "--log-level", "info"} + as_json});
  fleet.nodes[0].command(
      {"SET", "session:s-1", R"({"address": "http://127.0.0.1:1/", "interval_ms": 4000})"});
  auto& poller = fleet.start("web-1");
  ASSERT_TRUE(prints(poller, "poll_failed")) << fleet.told();
  poller.send(SIGTERM);
  EXPECT_EQ(poller.exit_code(), 0);
  const LogLines lines(poller.out());
  EXPECT_EQ(level_of(lines, "poll_failed"), "warn");
  EXPECT_EQ(lines.field("poll_failed", "session"), "s-1");
  EXPECT_FALSE(lines.has("poll_started")) << lines.stream();
  EXPECT_FALSE(lines.has("lease_renewed")) << lines.stream();
}

TEST(Log, O3_PollTellsErrorsAloneWhereOnlyErrorsAreWanted) {
  PollFleet fleet({.sessions = 1, .words = Words{"--ttl", "1s", "--log-level", "error"} + as_json});
  fleet.nodes[0].command({"SET", "session:bad", "no JSON"});
  auto& poller = fleet.start("web-1");
  ASSERT_TRUE(prints(poller, "session_bad")) << fleet.told();
  EXPECT_TRUE(fleet.all_are_polled(core::long_ago));
  poller.send(SIGTERM);
  EXPECT_EQ(poller.exit_code(), 0);
  EXPECT_EQ(LogLines(poller.out()).events(), Words{"session_bad"});
  EXPECT_EQ(poller.err(), "");
}

TEST(Log, O3_ErrorsInTheCommandLineAreLinesOfTheLogToo) {
  for (const Words& words : {Words{"run", "job", "--log-format", "json", "--bogus", "--", "true"},
                             Words{"run", "job", "--log-format=json"}, Words{"elect", "--log-format", "json"},
                             Words{"poll", "--log-format", "json", "--weight", "much"},
                             Words{"poll", "--json", "--log-format", "json"},
                             Words{"run", "job", "--log-format", "json", "--redis", "nonsense", "--", "true"},
                             Words{"run", "a\x01\xff\"b", "--log-format", "json", "--", "true"}}) {
    const Result refused = tenure(words);
    EXPECT_EQ(refused.code, 64) << refused.err;
    const LogLines lines(refused.err);
    EXPECT_EQ(lines.events(), Words{"failed"});
    EXPECT_EQ(lines.field("failed", "reason"), "usage");
    EXPECT_EQ(lines.field("failed", "exit_code"), "64");
  }
  const Result missing = tenure({"run", "job", "--log-format", "json", "--", "/no/such\x01\xff\"\n"});
  EXPECT_EQ(missing.code, 127);
  EXPECT_EQ(LogLines(missing.err).field("failed", "reason"), "not_found") << missing.err;
}

TEST(Log, O3_OddNamesAreEscapedInEveryField) {
  ReadyRedis redis;
  const std::string name = "a \"quoted\" \\ back\\slash \xc3\xa9 {}";
  const Result done =
      tenure(Job{.name = name, .options = as_json + Words{"--id", "it's \"me\""}}.words(redis.url()));
  EXPECT_EQ(done.code, 0);
  const LogLines lines(done.err);
  EXPECT_EQ(lines.field("lease_acquired", "name"), name) << lines.stream();
  EXPECT_EQ(lines.field("lease_acquired", "instance"), "it's \"me\"") << lines.stream();
}

TEST(Log, O3_TheVariablesStandInForTheOptionsAndAreCheckedAsTheyAre) {
  ReadyRedis redis;
  const Words words = Job{}.words(redis.url());
  const LogLines lines(tenure(words, {"TENURE_LOG_FORMAT=json"}).err);
  EXPECT_TRUE(lines.has("lease_acquired")) << lines.stream();
  EXPECT_EQ(tenure(words, {"TENURE_LOG_FORMAT=json", "TENURE_LOG_LEVEL=warn"}).err, "");
  const Words as_text = Job{.options = {"--log-format", "text"}}.words(redis.url());
  EXPECT_EQ(tenure(as_text, {"TENURE_LOG_FORMAT=json"}).err, "") << "the option counts";
  const Result bad = tenure(words, {"TENURE_LOG_FORMAT=xml"});
  EXPECT_EQ(bad.code, 64);
  EXPECT_EQ(bad.err, "tenure: TENURE_LOG_FORMAT: \"xml\" is neither text nor json\n");
  EXPECT_EQ(tenure(words, {"TENURE_LOG_LEVEL=loud"}).err,
            "tenure: TENURE_LOG_LEVEL: \"loud\" is none of error, warn, info and debug\n");
  EXPECT_EQ(tenure(Job{.options = {"--log-level", "loud"}}.words(redis.url())).err,
            "tenure: --log-level: \"loud\" is none of error, warn, info and debug\n");
  EXPECT_EQ(tenure(Job{.options = {"--log-format", "xml"}}.words(redis.url())).code, 64);
}

TEST(Log, O3_AsTextWhatHappensToLeasesIsForThoseWhoAsk) {
  ReadyRedis redis;
  EXPECT_EQ(tenure(Job{}.words(redis.url())).err, "");
  const Result told = tenure(Job{.options = {"--log-level", "info"}}.words(redis.url()));
  EXPECT_TRUE(has(told.err, "tenure: redlock:job was acquired (token ")) << told.err;
  EXPECT_TRUE(has(told.err, "tenure: redlock:job was released (token ")) << told.err;
}

TEST(Log, TheStderrOfTheCommandIsItsOwn) {
  ReadyRedis redis;
  const Result done = tenure(
      Job{.options = as_json + Words{"--log-level", "warn"}, .command = shell("echo not JSON >&2")}.words(
          redis.url()));
  EXPECT_EQ(done.err, "not JSON\n");
}

}  // namespace
}  // namespace tenure::test
