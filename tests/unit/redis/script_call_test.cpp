// What Redis is asked; what it answers: script_reply_test.cpp.
#include "redis/script_call.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace tenure::redis {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

const core::Grant grant("us", 0xaa);
const core::Grant ticket("us", 0xbb);
const std::string stamp = "us#00000000000000aa#";
const std::string place = "us#00000000000000bb#";

const std::vector<core::Holding> holdings{{"a", grant, 7}, {"b", ticket, 8}};
const core::Request acquire = core::AcquireRequest{"redlock:a", grant, 10s};
const core::Request queue = core::AcquireRequest{"redlock:a", grant, 10s, ticket};
const core::Request confirm = core::ConfirmRequest{"redlock:a", grant, 12};
const core::Request renew = core::RenewRequest{10s, holdings};
const core::Request reassert = core::ReassertRequest{10s, false, holdings};
const core::Request heal = core::ReassertRequest{10s, true, holdings};
const core::Request release = core::ReleaseRequest{"redlock:a", grant};
const core::Request leave = core::ReleaseRequest{"redlock:a", grant, ticket, false};
const core::Request open = core::OpenRequest{"e2", 17};
const core::Request clock = core::ClockRequest{};
const core::Request look = core::LookRequest{{"redlock:a", "redlock:b"}};

const std::vector<core::Request> all_scripts{acquire, queue,   confirm, renew, reassert,
                                             heal,    release, leave,   open,  look};

Command call(const core::Request& request, const Keyspace& keyspace = {}) {
  return script_call(request, keyspace, "e1", CallBy::sha1);
}
Command by(const Script& script, Command rest) {
  rest.insert(rest.begin(), {"EVALSHA", std::string(script.sha1)});
  return rest;
}

TEST(ScriptCall, AnAcquireNamesLeaseRecordAndFenceAndTheEpochItWasAdmittedTo) {
  EXPECT_EQ(call(acquire), by(acquire_script, {"3", "redlock:a", "tenure:record", "tenure:fence",
                                               "60000 1 e1 open ", stamp, "10000"}));
}

// A queue that nobody looked after for twice the cap is one of the dead.
TEST(ScriptCall, WhoeverWantsToWaitNamesQueueAndTicketToo) {
  EXPECT_EQ(call(queue),
            by(acquire_script, {"4", "redlock:a", "tenure:record", "tenure:fence", "tenure:queue:redlock:a",
                                "60000 1 e1 open ", stamp, "10000", place, "120000", "tenure:wake:", "250"}));
}

// Behind it comes only what the connection has seen.
TEST(ScriptCall, AProposalIsTheLastThatAnAcquireSays) {
  for (core::Request request : {acquire, queue}) {
    Command expected = call(request);
    expected.emplace_back("1700000000000000");
    std::get<core::AcquireRequest>(request).proposal = 1'700'000'000'000'000;
    EXPECT_EQ(call(request), expected);
  }
}

TEST(ScriptCall, AConfirmationCarriesTheGrantAndItsToken) {
  EXPECT_EQ(call(confirm), by(confirm_script, {"2", "redlock:a", "tenure:fence", stamp, "12"}));
}

TEST(ScriptCall, ARenewalCarriesAllKeysAndTheirWholeValues) {
  EXPECT_EQ(call(renew), by(renew_script,
                            {"3", "tenure:record", "a", "b", "60000 1 ", "10000", stamp + "7", place + "8"}));
}

// In quarantine or not: the epoch decides, not the state.
TEST(ScriptCall, AReassertCarriesTheEpochAndEachGrantWithItsToken) {
  EXPECT_EQ(call(reassert), by(reassert_script, {"4", "tenure:record", "tenure:fence", "a", "b",
                                                 "60000 1 e1 ", "10000", "0", stamp, "7", place, "8"}));
  Command healing = call(reassert);
  healing.at(9) = "1";
  EXPECT_EQ(call(heal), healing);
}

TEST(ScriptCall, AReleaseCarriesTheGrantWithoutItsTokenAndWakesTheNext) {
  EXPECT_EQ(call(release),
            by(release_script, {"2", "redlock:a", "tenure:queue:redlock:a", "tenure:wake:", "250", stamp}));
}

// L6
TEST(ScriptCall, AQuietReleaseThatLeavesTheQueueSaysBoth) {
  EXPECT_EQ(call(leave), by(release_script,
                            {"2", "redlock:a", "tenure:queue:redlock:a", "tenure:wake:", "0", stamp, place}));
}

TEST(ScriptCall, ReleasesThatGoTogetherNameLeasesQueuesAndGrantsInTheSameOrder) {
  const core::ReleaseRequest a{"a", grant};
  const core::ReleaseRequest b{"b", ticket};
  const std::array both{&a, &b};
  EXPECT_EQ(release_call(both, {}, CallBy::sha1),
            by(release_script,
               {"4", "a", "b", "tenure:queue:a", "tenure:queue:b", "tenure:wake:", "250", stamp, place}));
  const core::ReleaseRequest leaves{"b", ticket, ticket};
  const std::array one_leaves{&a, &leaves};
  EXPECT_EQ(release_call(one_leaves, {}, CallBy::sha1),
            by(release_script, {"4", "a", "b", "tenure:queue:a", "tenure:queue:b", "tenure:wake:", "250",
                                stamp, place, "", place}));
}

// M22: the quarantine that was sat out, whichever one the connection was admitted to since.
TEST(ScriptCall, AnOpeningNamesTheEpochThatWasSatOutAndItsBeginning) {
  EXPECT_EQ(call(open), by(open_script, {"2", "tenure:record", "tenure:fence", "60000 1 e2 ", "17"}));
}

TEST(ScriptCall, TheTimeIsAPlainCommand) {
  EXPECT_EQ(call(clock), (Command{"TIME"}));
  EXPECT_EQ(script_call(clock, {}, "e1", CallBy::body), (Command{"TIME"}));
}

// Neither an epoch nor a grant: whoever may read may look.
TEST(ScriptCall, ALookNamesEachLeaseWithItsQueueAndNothingElse) {
  EXPECT_EQ(call(look), by(look_script, {"4", "redlock:a", "tenure:queue:redlock:a", "redlock:b",
                                         "tenure:queue:redlock:b"}));
  EXPECT_EQ(call(core::LookRequest{}), by(look_script, {"0"}));
}

TEST(ScriptCall, PrefixCapAndSetCanBeChosen) {
  const Keyspace keyspace{.prefix = "app:", .cap = 2min, .set = "3-9f"};
  EXPECT_EQ(call(queue, keyspace), by(acquire_script, {"4", "redlock:a", "app:record", "app:fence",
                                                       "app:queue:redlock:a", "120000 3-9f e1 open ", stamp,
                                                       "10000", place, "240000", "app:wake:", "250"}));
  EXPECT_EQ(call(release, keyspace).at(5), "app:wake:");
  EXPECT_EQ(call(look, keyspace).at(4), "app:queue:redlock:a");
}

TEST(AdmitCall, SaysCapSetEpochAndWallClock) {
  const Introduction us{"e1", 1'700'000'000'000};
  EXPECT_EQ(admit_call(us, {}, CallBy::sha1),
            by(admit_script, {"2", "tenure:record", "tenure:fence", "60000", "1", "e1", "1700000000000"}));
  Command whole = admit_call(us, {}, CallBy::body);
  EXPECT_EQ(whole[0], "EVAL");
  EXPECT_EQ(whole[1], admit_script.body);
}

TEST(InitCall, IsTheSameByItsWholeScript) {
  const Introduction us{"e1", 1'700'000'000'000};
  EXPECT_EQ(init_call(us, {}), (Command{"EVAL", std::string(init_script.body), "2", "tenure:record",
                                        "tenure:fence", "60000", "1", "e1", "1700000000000"}));
}

TEST(ScriptCall, TheWholeScriptDiffersOnlyInHowItIsNamed) {
  for (const auto& request : all_scripts) {
    Command by_sha1 = script_call(request, {}, "e1", CallBy::sha1);
    Command by_body = script_call(request, {}, "e1", CallBy::body);
    EXPECT_EQ(by_body[0], "EVAL");
    EXPECT_TRUE(by_body[1].starts_with("#!lua"));
    by_sha1.erase(by_sha1.begin(), by_sha1.begin() + 2);
    by_body.erase(by_body.begin(), by_body.begin() + 2);
    EXPECT_EQ(by_sha1, by_body);
  }
}

TEST(ScriptCall, EveryScriptHasANameOfItsOwn) {
  std::set<std::string> sha1s;
  std::set<std::string> bodies;
  for (const auto& request : {acquire, confirm, renew, reassert, release, open, look}) {
    sha1s.insert(script_call(request, {}, "e1", CallBy::sha1)[1]);
    bodies.insert(script_call(request, {}, "e1", CallBy::body)[1]);
  }
  EXPECT_EQ(sha1s.size(), 7U);
  EXPECT_EQ(bodies.size(), 7U);
}

// F11: what a holder needs to keep or give back its lease works at maxmemory, too; a new grant does not.
TEST(ScriptCall, OnlyNewGrantsNeedMemory) {
  for (const auto& request : all_scripts) {
    const std::string body = script_call(request, {}, "e1", CallBy::body)[1];
    const bool acquires = std::holds_alternative<core::AcquireRequest>(request);
    // What writes nothing needs none.
    const bool looks = std::holds_alternative<core::LookRequest>(request);
    EXPECT_EQ(body.starts_with("#!lua flags=allow-oom\n"), !acquires && !looks) << body.substr(0, 100);
    EXPECT_EQ(body.starts_with("#!lua flags=no-writes\n"), looks) << body.substr(0, 100);
  }
  EXPECT_TRUE(admit_script.body.starts_with("#!lua flags=allow-oom\n"));
}

// Nothing is ever put into the text of a script: names and values are arguments.
TEST(ScriptCall, NamesAreNeverPartOfTheScript) {
  const std::string name = "']] redis.call('FLUSHALL') --\r\n\0"s;
  const Command command = script_call(core::ReleaseRequest{name, grant}, {}, name, CallBy::body);
  EXPECT_EQ(command[1], release_script.body);
  EXPECT_EQ(command[3], name);
  EXPECT_EQ(command[4], "tenure:queue:" + name);
}

}  // namespace
}  // namespace tenure::redis
