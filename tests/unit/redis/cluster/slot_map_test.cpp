#include "redis/cluster/slot_map.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace tenure::redis {
namespace {

Value number(std::int64_t value) { return Value::of(value); }

Value node(const std::string& host, std::int64_t port, const std::string& id = "",
           std::vector<Value> metadata = {}) {
  return Value::array({host.empty() ? Value::nil() : Value::string(host), number(port),
                       Value::string(id.empty() ? "id-" + std::to_string(port) : id),
                       Value::array(std::move(metadata))});
}

Value range(std::int64_t first, std::int64_t last, std::vector<Value> nodes) {
  std::vector<Value> items{number(first), number(last)};
  for (auto& it : nodes) items.push_back(std::move(it));
  return Value::array(std::move(items));
}

SlotMap map_of(const Value& answer, std::string_view asked = {}) {
  auto map = read_slot_map(answer, asked);
  EXPECT_TRUE(map) << map.error().detail;
  return map ? std::move(*map) : SlotMap();
}

void expect_failure(const Value& answer, std::string_view part) {
  const auto map = read_slot_map(answer);
  ASSERT_FALSE(map) << "accepted, wanted: " << part;
  EXPECT_NE(map.error().detail.find(part), std::string::npos) << map.error().detail;
  EXPECT_EQ(map.error().applied, core::Applied::no);
}

HostPort place(const SlotMap& map, Slot slot) {
  const HostPort* master = map.master_of(slot);
  return master == nullptr ? HostPort{} : *master;
}

// Three masters, of which that on the first port serves the first third.
SlotMap three(std::array<std::int64_t, 3> ports) {
  return map_of(
      Value::array({range(0, 5460, {node("h", ports[0])}), range(5461, 10922, {node("h", ports[1])}),
                    range(10923, 16383, {node("h", ports[2])})}));
}

TEST(SlotMaps, SayWhoServesEachSlotAndWhoFollowsThem) {
  const SlotMap map = map_of(Value::array(
      {range(0, 100, {node("10.0.0.1", 7000), node("10.0.0.2", 7001)}), range(101, 101, {node("::1", 7002)}),
       range(200, 16383, {node("10.0.0.1", 7000), node("10.0.0.2", 7001)})}));
  EXPECT_EQ(place(map, 0), (HostPort{"10.0.0.1", 7000}));
  EXPECT_EQ(place(map, 100), (HostPort{"10.0.0.1", 7000}));
  EXPECT_EQ(place(map, 101), (HostPort{"::1", 7002}));
  EXPECT_EQ(map.master_of(102), nullptr);
  EXPECT_EQ(place(map, 16383), (HostPort{"10.0.0.1", 7000}));
  EXPECT_EQ(map.masters(), (std::vector<HostPort>{{"10.0.0.1", 7000}, {"::1", 7002}}));
  EXPECT_EQ(map.shard_of(7)->replicas, (std::vector<ClusterNode>{{{"10.0.0.2", 7001}, "id-7001"}}));
  EXPECT_TRUE(map.shard_of(101)->replicas.empty());
  EXPECT_EQ(map.served(), slots - 98);
}

TEST(SlotMaps, OfAClusterThatServesNothingAreEmpty) {
  const SlotMap map = map_of(Value::array({}));
  EXPECT_EQ(map.served(), 0u);
  EXPECT_TRUE(map.masters().empty());
  EXPECT_EQ(map.master_of(0), nullptr);
}

TEST(SlotMaps, AreReadWithMetadataAndWithoutAnyId) {
  const auto metadata = [] {
    return std::vector{Value::string("hostname"), Value::string("redis-1.example")};
  };
  EXPECT_EQ(place(map_of(Value::array({range(0, 0, {node("127.0.0.1", 7000, "a", metadata())})})), 0),
            (HostPort{"127.0.0.1", 7000}));
  const auto old = Value::array({Value::string("127.0.0.1"), number(7000)});
  EXPECT_EQ(place(map_of(Value::array({range(0, 0, {old})})), 0), (HostPort{"127.0.0.1", 7000}));
}

TEST(SlotMaps, TakeAHostThatIsNotSaidForTheOneThatWasAsked) {
  const auto unknown = Value::array({range(0, 0, {node("", 7000), node("", 7001)})});
  const SlotMap map = map_of(unknown, "lb.example");
  EXPECT_EQ(place(map, 0), (HostPort{"lb.example", 7000}));
  EXPECT_EQ(map.shard_of(0)->replicas.front().place, (HostPort{"lb.example", 7001}));
  EXPECT_EQ(place(map_of(unknown), 0), (HostPort{"", 7000}));
  const auto nameless = [](std::vector<Value> metadata) {
    return Value::array({range(0, 0, {node("?", 7000, "a", std::move(metadata))})});
  };
  EXPECT_EQ(place(map_of(nameless({Value::string("ip"), Value::string("10.0.0.7")}), "h"), 0),
            (HostPort{"10.0.0.7", 7000}));
  EXPECT_EQ(place(map_of(nameless({}), "h"), 0), (HostPort{"h", 7000}));
}

TEST(SlotMaps, LeaveOutAReplicaThatMakesNoSense) {
  const SlotMap map =
      map_of(Value::array({range(0, 0, {node("h", 7000), node("h", 0), Value::nil(), node("h", 7001)})}));
  EXPECT_EQ(map.shard_of(0)->replicas, (std::vector<ClusterNode>{{{"h", 7001}, "id-7001"}}));
}

TEST(SlotMaps, AreNotReadFromWhatIsNone) {
  expect_failure(Value::error("ERR This instance has cluster support disabled"),
                 "it is no node of a Redis Cluster");
  expect_failure(Value::error("NOPERM User web has no permissions to run the 'cluster|slots' command"),
                 "may not run");
  expect_failure(Value::string("no"), "it is no list");
  expect_failure(Value::nil(), "it is no list");
  const auto with = [](std::int64_t first, std::int64_t last) {
    return Value::array({range(first, last, {node("h", 7000)})});
  };
  expect_failure(Value::array({number(1)}), "lacks its range or its master");
  expect_failure(Value::array({range(0, 1, {})}), "lacks its range or its master");
  for (const auto& answer : {with(1, 0), with(-1, 5), with(0, 16384), with(16384, 16385), with(0, INT64_MAX),
                             with(INT64_MIN, INT64_MAX)})
    expect_failure(answer, "a range is none");
  expect_failure(Value::array({Value::array({Value::string("0"), Value::string("1"), node("h", 7000)})}),
                 "a range is none");
  for (const auto& bad :
       {node("h", 0), node("h", 65536), node("h", -1), node("a b", 7000), node("::g", 7000),
        node("h:1", 7000), node("[::1]:5", 7000), Value::nil(), Value::array({}), number(7)})
    expect_failure(Value::array({range(0, 0, {bad})}), "a master has no address");
  expect_failure(Value::array({range(0, 10, {node("h", 7000)}), range(10, 11, {node("h", 7001)})}),
                 "slot 10 is in two ranges");
  std::vector<Value> many;
  for (int i = 0; i < 1001; ++i) many.push_back(range(i, i, {node("h", 7000 + i)}));
  expect_failure(Value::array(std::move(many)), "more than 1000 masters");
}

TEST(SlotMaps, FollowWhatMovedSays) {
  SlotMap map = three({1, 2, 3});
  map.move(5, {"h", 2});
  map.move(6, {"new", 9});
  EXPECT_EQ(place(map, 5), (HostPort{"h", 2}));
  EXPECT_EQ(map.shard_of(5), map.shard_of(6000));
  EXPECT_EQ(place(map, 6), (HostPort{"new", 9}));
  EXPECT_EQ(place(map, 7), (HostPort{"h", 1}));
  EXPECT_EQ(map.served(), slots);
}

TEST(SlotMaps, ForgetWhoServesNothingAnyMore) {
  SlotMap map = three({1, 2, 3});
  map.assign(0, 5460, {.master = {.place = {"h", 4}}});
  EXPECT_EQ(map.masters(), (std::vector<HostPort>{{"h", 2}, {"h", 3}, {"h", 4}}));
  EXPECT_EQ(place(map, 0), (HostPort{"h", 4}));
  EXPECT_EQ(place(map, 16383), (HostPort{"h", 3}));
}

TEST(SlotMaps, TellNodesByTheirIdsAndWithoutThemByTheirPlaces) {
  EXPECT_TRUE(same_node({{"h", 1}, "a"}, {{"other", 2}, "a"}));
  EXPECT_FALSE(same_node({{"h", 1}, "a"}, {{"h", 1}, "b"}));
  EXPECT_TRUE(same_node({{"h", 1}, "a"}, {{"h", 1}, ""}));
  EXPECT_FALSE(same_node({{"h", 1}, ""}, {{"h", 2}, ""}));
}

TEST(AgreedSlots, AreThoseOfTheOnlyView) {
  const std::vector views{three({1, 2, 3})};
  const SlotMap map = agreed(views);
  EXPECT_EQ(map.masters(), (std::vector<HostPort>{{"h", 1}, {"h", 2}, {"h", 3}}));
  EXPECT_EQ(map.served(), slots);
}

// The master on port 1 was frozen while 4 replaced it: it is the only one that has not heard of it.
TEST(AgreedSlots, AreNotThoseOfAMasterThatWasReplaced) {
  const std::vector views{three({1, 2, 3}), three({4, 2, 3}), three({4, 2, 3})};
  const SlotMap map = agreed(views);
  EXPECT_EQ(place(map, 0), (HostPort{"h", 4}));
  EXPECT_EQ(map.masters(), (std::vector<HostPort>{{"h", 4}, {"h", 2}, {"h", 3}}));
}

TEST(AgreedSlots, AreNobodysWhereEquallyManyNameAnother) {
  const std::vector views{three({1, 2, 3}), three({4, 2, 3})};
  const SlotMap map = agreed(views);
  EXPECT_EQ(map.master_of(0), nullptr);
  EXPECT_EQ(place(map, 5461), (HostPort{"h", 2}));
}

TEST(AgreedSlots, AreNobodysWhereFewerNameThemThanAreNeeded) {
  const std::vector views{three({1, 2, 3})};
  EXPECT_EQ(agreed(views, 2).served(), 0u);
  const std::vector more{three({1, 2, 3}), three({4, 2, 3})};
  EXPECT_EQ(agreed(more, 2).masters(), (std::vector<HostPort>{{"h", 2}, {"h", 3}}));
}

TEST(AgreedSlots, AreThoseThatOnlySomeHaveHeardOf) {
  const std::vector views{map_of(Value::array({range(0, 9, {node("h", 1)})})),
                          map_of(Value::array({range(5, 20, {node("h", 1)})})), SlotMap()};
  const SlotMap map = agreed(views);
  EXPECT_EQ(map.served(), 21u);
  EXPECT_EQ(agreed(views, 2).served(), 5u);
}

TEST(AgreedSlots, AreOfOneNodeByWhateverAddress) {
  const auto view = [](const std::string& host, const std::string& id) {
    return map_of(Value::array({range(0, 16383, {node(host, 7000, id)})}));
  };
  const std::vector views{view("outside", "a"), view("10.0.0.1", "a"), view("10.0.0.2", "b")};
  EXPECT_EQ(place(agreed(views), 0), (HostPort{"outside", 7000}));
}

TEST(AgreedSlots, AreNobodysWithoutAView) { EXPECT_EQ(agreed({}).served(), 0u); }

}  // namespace
}  // namespace tenure::redis
