// What every store must do that keeps the sessions and results of fleets.
#include <gtest/gtest.h>

#include <algorithm>

#include "contract/store.hpp"
#include "poll/session_json.hpp"
#include "support/wait.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using poll::FindSlot;
using poll::FoundSlot;
using poll::Publish;
using poll::Published;
using poll::ResultReply;
using poll::WallTime;

std::vector<StoreKind> stores_of_fleets() {
  auto stores = all_stores();
  const auto keeps_none = [](const StoreKind& it) {
    return std::string_view(it.name) == "Memory" || std::string_view(it.name) == "RedisInCluster";
  };
  std::erase_if(stores, keeps_none);
  return stores;
}

std::string text_of(const std::string& address) { return R"({"address":")" + address + R"("})"; }

class FleetDataContract : public testing::TestWithParam<StoreKind> {
 protected:
  ResultReply publish(poll::ResultStore& results, const Publish& result) {
    const poll::ResultRequest request = result;
    return results.ask({&request, 1}).front();
  }
  Published published(poll::ResultStore& results, const Publish& result) {
    const ResultReply reply = publish(results, result);
    const auto* answer = std::get_if<Published>(&reply);
    EXPECT_NE(answer, nullptr) << "answer number " << reply.index();
    return answer != nullptr ? *answer : Published::outdated;
  }
  std::optional<WallTime> slot_of(poll::ResultStore& results, const std::string& session) {
    const poll::ResultRequest request = FindSlot{session};
    const ResultReply reply = results.ask({&request, 1}).front();
    const auto* found = std::get_if<FoundSlot>(&reply);
    EXPECT_NE(found, nullptr) << "answer number " << reply.index();
    return found != nullptr ? found->slot : std::nullopt;
  }
  // A lease of that name, as a fleet tells of it.
  SessionLease granted(const std::string& key, std::uint64_t nonce, core::Ttl ttl = 30s) {
    const core::Grant grant("web-1", nonce);
    const auto reply = asking.ask(core::AcquireRequest{key, grant, ttl});
    const auto* it = std::get_if<core::Granted>(&reply);
    EXPECT_NE(it, nullptr) << "answer number " << reply.index();
    SessionLease lease;
    lease.key = key;
    lease.token = it != nullptr ? it->token : 0;
    lease.value = node->shown(grant, lease.token);
    return lease;
  }
  void release(const std::string& key, std::uint64_t nonce) {
    asking.ask(core::ReleaseRequest{key, core::Grant("web-1", nonce)});
  }

  std::unique_ptr<Store> store = GetParam().make();
  std::unique_ptr<FleetData> data = store->data();
  std::shared_ptr<runtime::Node> node = store->node();
  Asking asking{node};
};

INSTANTIATE_TEST_SUITE_P(Stores, FleetDataContract, testing::ValuesIn(stores_of_fleets()),
                         [](const auto& it) { return std::string(it.param.name); });

TEST_P(FleetDataContract, SessionsAreReadByIdAndTheBadOnesWithTheReason) {
  const auto source = data->sessions();
  EXPECT_TRUE(source->read().value().good.empty());
  ASSERT_TRUE(data->put("b", text_of("http://b"), std::nullopt));
  ASSERT_TRUE(data->put("a", R"({"address":"https://a","interval_ms":4000,"paused":true})", std::nullopt));
  ASSERT_TRUE(data->put("c", "nonsense", std::nullopt));
  for (int i = 0; i < 2; ++i) {
    const Sessions sessions = source->read().value();
    EXPECT_EQ(sessions.good,
              (std::vector<Session>{{"a", "https://a", 4s, true}, {"b", "http://b", 10s, false}}));
    ASSERT_EQ(sessions.bad.size(), 1U);
    EXPECT_EQ(sessions.bad.front().id, "c");
  }
}

TEST_P(FleetDataContract, AReaderSeesWhatIsAddedChangedAndRemoved) {
  const auto source = data->sessions();
  const auto addresses = [&] {
    std::vector<std::string> all;
    const Sessions sessions = source->read().value();
    for (const Session& it : sessions.good) all.push_back(it.address);
    return all;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(addresses(), Texts{});
  ASSERT_TRUE(data->put("a", text_of("http://a"), std::nullopt));
  ASSERT_TRUE(data->put("b", text_of("http://b"), std::nullopt));
  EXPECT_EQ(addresses(), (Texts{"http://a", "http://b"}));
  ASSERT_TRUE(data->put("a", text_of("http://other"), text_of("http://a")));
  EXPECT_EQ(addresses(), (Texts{"http://other", "http://b"}));
  // One comes and one goes: as many as before.
  EXPECT_TRUE(data->remove("a"));
  EXPECT_FALSE(data->remove("a"));
  ASSERT_TRUE(data->put("c", text_of("http://c"), std::nullopt));
  EXPECT_EQ(addresses(), (Texts{"http://b", "http://c"}));
  EXPECT_TRUE(data->remove("b"));
  EXPECT_TRUE(data->remove("c"));
  EXPECT_EQ(addresses(), Texts{});
}

TEST_P(FleetDataContract, ASessionIsWrittenOnlyOverTheTextThatWasSeen) {
  ASSERT_TRUE(data->put("a", text_of("http://a"), std::nullopt));
  EXPECT_FALSE(data->put("a", text_of("http://b"), std::nullopt)) << "one is there";
  EXPECT_FALSE(data->put("a", text_of("http://b"), text_of("http://c"))) << "another text is there";
  EXPECT_FALSE(data->put("b", text_of("http://b"), text_of("http://c"))) << "nothing is there";
  EXPECT_TRUE(data->put("a", text_of("http://a"), text_of("http://a")));
  EXPECT_EQ(data->sessions()->read().value().good, (std::vector<Session>{{"a", "http://a", 10s, false}}));
}

TEST_P(FleetDataContract, ATextThatIsTooLongIsABadSession) {
  ASSERT_TRUE(data->put("long", std::string(poll::session_text_max + 100, 'x'), std::nullopt));
  const Sessions sessions = data->sessions()->read().value();
  EXPECT_EQ(sessions.bad, (std::vector<BadSession>{{"long", "its text is longer than 64 KiB"}}));
}

TEST_P(FleetDataContract, AResultIsStoredWhileItsLeaseStandsAndNotAfterwards) {
  const auto results = data->results(FleetData::Leases::here);
  const SessionLease first = granted("poll:lease:s", 1);
  EXPECT_EQ(slot_of(*results, "s"), std::nullopt);
  EXPECT_EQ(published(*results, {"s", first, "{}", WallTime(5s), WallTime(6s)}), Published::stored);
  EXPECT_EQ(slot_of(*results, "s"), WallTime(5s));
  release("poll:lease:s", 1);
  EXPECT_EQ(published(*results, {"s", first, "{}", WallTime(7s), WallTime(8s)}), Published::lease_gone);
  const SessionLease second = granted("poll:lease:s", 2);
  EXPECT_EQ(published(*results, {"s", first, "{}", WallTime(7s), WallTime(8s)}), Published::lease_gone);
  EXPECT_EQ(slot_of(*results, "s"), WallTime(5s));
  EXPECT_EQ(published(*results, {"s", second, "{}", WallTime(9s), WallTime(10s)}), Published::stored);
  EXPECT_EQ(slot_of(*results, "s"), WallTime(9s));
}

TEST_P(FleetDataContract, AResultUnderALeaseThatHasRunOutIsRefused) {
  const auto results = data->results(FleetData::Leases::here);
  const SessionLease lease = granted("poll:lease:s", 1, 100ms);
  ASSERT_TRUE(wait_until([&] {
    const auto reply = asking.ask(core::LookRequest{{"poll:lease:s"}});
    return !std::get<core::KeyStates>(reply).front().exists();
  }));
  EXPECT_EQ(published(*results, {"s", lease, "{}", WallTime(5s), WallTime(6s)}), Published::lease_gone);
}

TEST_P(FleetDataContract, WhereLeasesAreElsewhereTheLargerTokenWins) {
  const auto results = data->results(FleetData::Leases::elsewhere);
  SessionLease lease;
  lease.value = "web-1 7";
  lease.token = 7;
  EXPECT_EQ(published(*results, {"s", lease, "{}", WallTime(5s), WallTime(6s)}), Published::stored);
  lease.token = 6;
  EXPECT_EQ(published(*results, {"s", lease, "{}", WallTime(7s), WallTime(8s)}), Published::outdated);
  lease.token = 7;
  EXPECT_EQ(published(*results, {"s", lease, "{}", WallTime(9s), WallTime(10s)}), Published::stored);
  EXPECT_EQ(slot_of(*results, "s"), WallTime(9s));
}

TEST_P(FleetDataContract, ManyRequestsAtOnceAreAnsweredInTheirOrder) {
  const auto results = data->results(FleetData::Leases::here);
  std::vector<poll::ResultRequest> requests;
  constexpr int count = 1'200;
  const std::vector<SessionLease> leases{granted("poll:lease:0", 1), granted("poll:lease:1", 2)};
  for (int i = count; i-- > 0;) {
    const std::string id = std::to_string(i % 4);
    if (i % 2 == 0) {
      requests.emplace_back(FindSlot{"none-" + id});
    } else if (i % 4 == 3) {
      SessionLease nobodys = leases[0];
      nobodys.key = "poll:lease:3";
      requests.emplace_back(Publish{id, nobodys, "{}", WallTime(1s), WallTime(1s)});
    } else {
      requests.emplace_back(
          Publish{id, leases[1], R"({"ok":true,"body":"\"'\\{},"})", WallTime(2s), WallTime(2s)});
    }
  }
  const auto replies = results->ask(requests);
  ASSERT_EQ(replies.size(), requests.size());
  for (std::size_t i = 0; i < replies.size(); ++i) {
    if (std::holds_alternative<FindSlot>(requests[i])) {
      ASSERT_TRUE(std::holds_alternative<FoundSlot>(replies[i])) << i;
    } else {
      const bool nobodys = std::get<Publish>(requests[i]).session == "3";
      ASSERT_TRUE(std::holds_alternative<Published>(replies[i])) << i << ": " << replies[i].index();
      ASSERT_EQ(std::get<Published>(replies[i]), nobodys ? Published::lease_gone : Published::stored) << i;
    }
  }
  EXPECT_EQ(slot_of(*results, "1"), WallTime(2s));
  EXPECT_EQ(slot_of(*results, "3"), std::nullopt);
}

TEST_P(FleetDataContract, AStoreThatIsAwayIsToldForEveryRequestAndForSessions) {
  const auto results = data->results(FleetData::Leases::elsewhere);
  const auto source = data->sessions();
  ASSERT_TRUE(source->read());
  store->go_away();
  const std::vector<poll::ResultRequest> requests{FindSlot{"a"}, Publish{"b", {}, "{}", {}, {}}};
  for (const ResultReply& it : results->ask(requests)) {
    ASSERT_TRUE(std::holds_alternative<poll::NoAnswer>(it)) << it.index();
    EXPECT_NE(std::get<poll::NoAnswer>(it).why, "");
  }
  EXPECT_FALSE(source->read());
}

}  // namespace
}  // namespace tenure::test
