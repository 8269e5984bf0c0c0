// What Tenure writes into Consul, and reads there: anybody may have written something else.
#include <gtest/gtest.h>

#include <algorithm>

#include "consul/base64.hpp"
#include "consul/duration_text.hpp"
#include "consul/failure.hpp"
#include "consul/keys.hpp"
#include "consul/lease_text.hpp"
#include "consul/session_text.hpp"
#include "consul/transaction.hpp"

namespace tenure::consul {
namespace {

using namespace std::chrono_literals;

TEST(ConsulBase64, IsReadAsItIsWritten) {
  const std::string all = "foobar";
  const std::vector<std::string> texts{"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(base64(all.substr(0, i)), texts[i]);
    EXPECT_EQ(from_base64(texts[i]), all.substr(0, i));
  }
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  EXPECT_EQ(from_base64(base64(bytes)), bytes);
  for (const char* wrong : {"Z", "Zg=", "Zg", "====", "Z===", "Zg=a", "Zm9v=Zg=", "Zm 9", "Zm9\n"}) {
    EXPECT_FALSE(from_base64(wrong)) << wrong;
  }
}

TEST(ConsulDuration, IsWhatGoWrites) {
  EXPECT_EQ(read_duration("15s"), core::Ttl(15s));
  EXPECT_EQ(read_duration("1m30s"), core::Ttl(90s));
  EXPECT_EQ(read_duration("10500ms"), core::Ttl(10'500));
  EXPECT_EQ(read_duration("24h0m0s"), core::Ttl(24h));
  for (const char* wrong : {"", "15", "s", "-15s", "1.5s", "25h", "99999999999999999999s",
                            "9223372036854775807s", "15s ", "1us"}) {
    EXPECT_FALSE(read_duration(wrong)) << wrong;
  }
}

TEST(ConsulKeys, OfALockIsTheOneThatConsulLockTakes) {
  const Keys keys{"service/web"};
  EXPECT_EQ(keys.lock("redlock:", "deploy").value(), "service/web/deploy/.lock");
  EXPECT_EQ(keys.lock("redlock:", "a/b c").value(), "service/web/a/b c/.lock");
}

TEST(ConsulKeys, ThatAnAddressCannotNameAreRefused) {
  const Keys keys{};
  for (const char* name : {"../a", "a/../b", "a//b", "/a", "a/", ".", "a/."}) {
    for (const char* prefix : {"redlock:", ""}) {
      const auto key = keys.lock(prefix, name);
      ASSERT_FALSE(key) << prefix << name;
      EXPECT_NE(key.error().find(name), std::string::npos);
    }
  }
  EXPECT_TRUE(keys.lock("redlock:", "..a/.b"));
}

TEST(ConsulKeys, AreToldApartAndNamed) {
  const Keys keys{};
  std::vector<std::string> seen;
  for (const auto& [prefix, name] : std::vector<std::pair<std::string, std::string>>{
           {"redlock:", "a"}, {"", "a"}, {"jobs:", "a"}, {"redlock:", "jobs:a"}}) {
    const std::string key = keys.lock(prefix, name).value();
    EXPECT_EQ(keys.name_in(key), prefix + name);
    EXPECT_EQ(std::ranges::count(seen, key), 0) << key;
    EXPECT_NE(key, keys.record());
    EXPECT_NE(key, keys.fence());
    seen.push_back(key);
  }
  EXPECT_FALSE(keys.lock("redlock:", ".elect/a")) << "it would be the election a";
  EXPECT_FALSE(keys.lock("redlock:", ".locks/jobs:a"));
  EXPECT_FALSE(keys.lock("redlock:", ".tenure/record"));
  EXPECT_EQ(keys.name_in("somebody's/.lock"), "somebody's/.lock");
}

TEST(ConsulLease, SaysItsGrantAndItsToken) {
  const Lease lease{{"web \"1\"#", 0xabc}, core::Ttl(15'000), 1'700'000'000'000'000, std::nullopt};
  const auto read = read_lease(lease_text(lease));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->grant, lease.grant);
  EXPECT_EQ(read->ttl, lease.ttl);
  EXPECT_EQ(read->token_at(17), 1'700'000'000'000'017U);

  Lease moved = lease;
  moved.token = 5;
  EXPECT_EQ(read_lease(lease_text(moved)).value().token_at(17), 5U)
      << "the change that put it back is another one";
}

TEST(ConsulLease, OfAnythingElseIsNone) {
  for (const char* text :
       {"", "web-1", "{}", "[]", R"({"owner":"a","nonce":"xyz","ttl_ms":1,"base":1})",
        R"({"owner":"","nonce":"0000000000000abc","ttl_ms":1,"base":1})",
        R"({"owner":"a","nonce":"0000000000000ABC","ttl_ms":1,"base":1})",
        R"({"owner":"a","nonce":"0000000000000abc","ttl_ms":-1,"base":1})",
        R"({"owner":"a","nonce":"0000000000000abc","ttl_ms":1})",
        R"({"owner":"a","nonce":"0000000000000abc","ttl_ms":1,"base":18446744073709551615})",
        R"({"owner":"a","nonce":"0000000000000abc","ttl_ms":99999999999999,"base":1})",
        R"({"owner":"a","nonce":"0000000000000abc","ttl_ms":1,"token":0})"}) {
    EXPECT_FALSE(read_lease(text)) << text;
  }
}

TEST(ConsulLease, IsHeldAsLongAsASessionHasItsKey) {
  Entry entry{"k", lease_text({{"web-1", 7}, core::Ttl(15'000), 100, std::nullopt}), lock_flags, "s-1", 4};
  EXPECT_EQ(key_state(entry).holder, (core::Holder{"web-1", 104}));
  EXPECT_EQ(key_state(entry).grant, core::Grant("web-1", 7));
  EXPECT_EQ(held_by(entry, {}).left, core::Ttl(15'000)) << "longer it cannot be, unless it is renewed";
  entry.session.clear();
  EXPECT_FALSE(key_state(entry).exists());
  entry.session = "s-2";
  entry.value = "of consul lock";
  EXPECT_EQ(held_by(entry, {"Consul Lock", "db-1", core::Ttl(20'000)}).holder.owner, "Consul Lock on db-1");
  EXPECT_EQ(held_by(entry, {"Consul Lock", "db-1", core::Ttl(20'000)}).left, core::Ttl(20'000));
  EXPECT_EQ(key_state(entry).holder, (core::Holder{"session s-2", 0}));
}

TEST(ConsulTransaction, IsWrittenAsConsulReadsIt) {
  Transaction it;
  it.check_index("p/.tenure/record", 7).check_absent("p/\"a\"/.lock").lock("p/\"a\"/.lock", "v", "s-1");
  it.check_present("e").get("g").set("f", "x").remove("d").remove_all("t/");
  EXPECT_EQ(it.size(), 8U);
  EXPECT_EQ(
      it.text(),
      R"([{"KV": {"Verb": "check-index", "Key": "p/.tenure/record", "Index": 7}}, )"
      R"({"KV": {"Verb": "check-not-exists", "Key": "p/\"a\"/.lock"}}, )"
      R"({"KV": {"Verb": "lock", "Key": "p/\"a\"/.lock", "Value": "dg==", "Flags": 3304740253564472344, )"
      R"("Session": "s-1"}}, {"KV": {"Verb": "get", "Key": "e"}}, {"KV": {"Verb": "get-tree", "Key": "g"}}, )"
      R"({"KV": {"Verb": "set", "Key": "f", "Value": "eA=="}}, {"KV": {"Verb": "delete", "Key": "d"}}, )"
      R"({"KV": {"Verb": "delete-tree", "Key": "t/"}}])");
  EXPECT_EQ(Transaction{}.text(), "[]");
}

TEST(ConsulTransaction, ComparesNumberAndSessionOfWhatWasSeen) {
  Transaction held;
  held.check_same("k", 3, "s-1");
  EXPECT_EQ(held.text(), R"([{"KV": {"Verb": "check-index", "Key": "k", "Index": 3}}, )"
                         R"({"KV": {"Verb": "check-session", "Key": "k", "Session": "s-1"}}])");
  Transaction free;
  free.check_same("k", 3, "");
  EXPECT_EQ(free.size(), 1U);
}

TEST(ConsulTransaction, TellsWhatWasReadAndWritten) {
  const auto done = read_answer(R"({"Results": [
      {"KV": {"LockIndex": 0, "Key": "f", "Flags": 0, "Value": "eA==", "CreateIndex": 1, "ModifyIndex": 3}},
      {"KV": {"LockIndex": 1, "Key": "a", "Flags": 16210313421097356768, "Value": null, "Session": "s-1", "CreateIndex": 9, "ModifyIndex": 9}},
      {"KV": {"LockIndex": 0, "Key": "f", "Flags": 0, "Value": null, "CreateIndex": 1, "ModifyIndex": 9}}],
      "Errors": null})");
  ASSERT_TRUE(done);
  EXPECT_TRUE(done->done());
  EXPECT_EQ(done->find("f")->modified, 3U) << "before";
  EXPECT_EQ(done->find("f")->value, "x");
  EXPECT_EQ(done->find_last("f")->modified, 9U) << "after";
  EXPECT_EQ(done->find("a")->session, "s-1");
  EXPECT_EQ(done->find("a")->flags, 16210313421097356768U);
  EXPECT_EQ(done->find("nix"), nullptr);

  const auto refused =
      read_answer(R"({"Results": null, "Errors": [{"OpIndex": 1, "What": "key \"a\" exists"}]})");
  ASSERT_TRUE(refused);
  ASSERT_FALSE(refused->done());
  EXPECT_EQ(refused->refused[0].operation, 1U);
  EXPECT_EQ(refused->refused[0].what, "key \"a\" exists");
}

TEST(ConsulTransaction, OfAnythingElseIsAFailure) {
  for (const char* text :
       {"", "[]", "{}", "null", R"({"Results": [{}], "Errors": null})", R"({"Results": null, "Errors": [1]})",
        R"({"Results": [{"KV": {"Key": "a"}}], "Errors": null})",
        R"({"Results": [{"KV": {"Key": "a", "ModifyIndex": 1, "Value": "%"}}], "Errors": null})"}) {
    const auto answer = read_answer(text);
    ASSERT_FALSE(answer) << text;
    EXPECT_EQ(answer.error().code, core::FailureCode::protocol);
  }
}

TEST(ConsulSession, HangsOnNoHealthCheck) {
  const std::string text = session_text({"tenure web-1", core::Ttl(10'500), "0s"});
  EXPECT_EQ(
      text,
      R"({"Name": "tenure web-1", "TTL": "10500ms", "Behavior": "release", "LockDelay": "0s", "Checks": [], )"
      R"("NodeChecks": [], "ServiceChecks": []})");
  EXPECT_EQ(read_session_id(R"({"ID": "f36bf85e-9123-6111-75d6-82d9ea0434d4"})").value(),
            "f36bf85e-9123-6111-75d6-82d9ea0434d4");
  EXPECT_FALSE(read_session_id(R"({"ID": "../../kv/x"})")) << "it becomes a part of addresses";
  EXPECT_FALSE(read_session_id("{}"));
  const auto other = read_session(R"([{"Name": "Consul Lock", "Node": "db-1", "TTL": "15s"}])");
  ASSERT_TRUE(other && *other);
  EXPECT_EQ((*other)->ttl, core::Ttl(15s));
  EXPECT_FALSE(read_session("[]").value()) << "there is none any more";
}

TEST(ConsulFailure, SaysWhatToDo) {
  using core::FailureCode;
  EXPECT_EQ(classify(403, "Permission denied").code, FailureCode::no_permission);
  EXPECT_EQ(classify(403, "ACL not found").code, FailureCode::auth);
  EXPECT_EQ(classify(500, "No cluster leader").code, FailureCode::starting);
  EXPECT_EQ(classify(500, "No cluster leader").applied, core::Applied::perhaps);
  EXPECT_EQ(classify(429, "").code, FailureCode::busy);
  EXPECT_EQ(classify(500, "rpc error: leadership lost while committing log").code, FailureCode::starting);
  EXPECT_EQ(classify(418, "a\nteapot").code, FailureCode::server);
  EXPECT_EQ(classify(418, "a\x1bteapot").detail.find('\x1b'), std::string::npos);
}

TEST(ConsulSession, KeepsItsKeysFromOthersForAsLongAsAHolderMayBelieve) {
  using namespace std::chrono_literals;
  EXPECT_EQ(lock_delay_for(10s), "10s");
  EXPECT_EQ(lock_delay_for(10'001ms), "11s");
  EXPECT_EQ(lock_delay_for(60s), "60s");
  EXPECT_EQ(lock_delay_for(24h), "60s") << "Consul takes no more";
}

TEST(ConsulKeys, KeepNamesOutOfWhatTenureKeepsBesideThem) {
  const Keys keys;
  for (const char* name : {".in/a", ".in/a/b", ".tenure", ".tenure/record", ".elect/a", ".locks/a"}) {
    EXPECT_FALSE(keys.lock("redlock:", name)) << name;
  }
  for (const char* name : {".in", ".tenures", "a/.tenure/b", "a/.in/b"}) {
    EXPECT_TRUE(keys.lock("redlock:", name)) << name;
  }
}

}  // namespace
}  // namespace tenure::consul
