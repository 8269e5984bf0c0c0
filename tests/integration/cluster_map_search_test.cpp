// What a map is made of where the nodes of a Cluster contradict each other, hang, or are none.
#include "redis/net/cluster_map_search.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <future>
#include <mutex>
#include <thread>

#include "runtime/boot_clock.hpp"
#include "runtime/net/wait_for.hpp"
#include "support/fake_server.hpp"
#include "support/forwarder.hpp"
#include "support/wait.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using core::FailureCode;

std::string bulk(const std::string& text) {
  return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

// A node that says what the test wants of who serves the three thirds of the slots, behind a network of its own.
class FakeNode {
 public:
  explicit FakeNode(std::string id) : id_(std::move(id)) {}

  void say(const std::vector<const FakeNode*>& masters) {
    const std::lock_guard lock(mutex_);
    map_ = "*" + std::to_string(masters.size()) + "\r\n";
    for (std::size_t i = 0; i < masters.size(); ++i) {
      map_ += "*3\r\n:" + std::to_string(i * 5000) + "\r\n:" + std::to_string((i * 5000) + 4999) +
              "\r\n*3\r\n" + bulk("127.0.0.1") + ":" + std::to_string(masters[i]->where().port) + "\r\n" +
              bulk(masters[i]->id_);
    }
  }
  redis::HostPort where() const { return {"127.0.0.1", network_.port()}; }
  void fall_silent() { network_.hold(); }
  void go_on() { network_.mend(); }

 private:
  Said answer(const std::vector<std::string>& command) {
    const std::lock_guard lock(mutex_);
    if (command.back() == "MYID") return bulk(id_);
    return map_.empty() ? "-ERR This instance has cluster support disabled\r\n" : map_;
  }

  std::string id_;
  std::mutex mutex_;
  std::string map_{};
  FakeServer server_{[this](const auto& command) { return answer(command); }};
  Forwarder network_{server_.address().path, Forwarder::Listens::tcp};
};

class ClusterMaps : public ::testing::Test {
 protected:
  ClusterMaps() {
    for (FakeNode* node : {&a, &b, &c, &new_a}) node->say({&a, &b, &c});
  }
  // a was frozen, and replaced meanwhile; the others know.
  void replace_a() {
    for (FakeNode* node : {&b, &c, &new_a}) node->say({&new_a, &b, &c});
  }
  using Found = tl::expected<redis::SlotMap, core::Failure>;
  Found find(const std::vector<const FakeNode*>& seeds, bool gives_up = false) {
    redis::Address address;
    address.kind = redis::Address::Kind::cluster;
    for (const auto* seed : seeds) address.seeds.push_back(seed->where());
    const runtime::Tls tls;
    redis::Lookups lookups;
    redis::ClusterMapSearch search(address, tls, lookups, {},
                                   {.patience = 4s, .gives_up_unanswered = gives_up});
    const core::Time began = runtime::boot_now();
    for (;;) {
      auto found = search.step();
      took = runtime::boot_now() - began;
      if (!found) return tl::unexpected(found.error());
      if (*found) return std::move(**found);
      if (!runtime::wait_for(search.fd(), POLLIN, began + 10s)) {
        ADD_FAILURE() << "it does not end: " << search.trouble();
        return tl::unexpected(core::silence);
      }
    }
  }
  static std::uint16_t master_in(const Found& found, redis::Slot slot) {
    if (!found) {
      ADD_FAILURE() << found.error().detail;
      return 0;
    }
    const auto* master = found->master_of(slot);
    return master == nullptr ? std::uint16_t{0} : master->port;
  }

  FakeNode a{"id-a"};
  FakeNode b{"id-b"};
  FakeNode c{"id-c"};
  FakeNode new_a{"id-new-a"};
  core::Duration took{};
};

TEST_F(ClusterMaps, OneNodeLeadsToAllOthers) {
  const auto found = find({&b});
  EXPECT_EQ(master_in(found, 0), a.where().port);
  EXPECT_EQ(master_in(found, 12000), c.where().port);
  EXPECT_EQ(master_in(found, 16000), 0) << "nobody serves it";
}

TEST_F(ClusterMaps, AReplicaLeadsToTheMasters) { EXPECT_EQ(master_in(find({&new_a}), 0), a.where().port); }

TEST_F(ClusterMaps, WhatMostMastersSayCountsWhoeverIsAskedFirst) {
  replace_a();
  for (const auto& seeds : {std::vector<const FakeNode*>{&a}, {&a, &b}, {&c}}) {
    EXPECT_EQ(master_in(find(seeds), 0), new_a.where().port);
  }
}

TEST_F(ClusterMaps, AMajorityThatAgreesIsEnough) {
  c.fall_silent();
  EXPECT_EQ(master_in(find({&a}), 0), a.where().port);
  EXPECT_LT(took, 400ms);
}

// X7
TEST_F(ClusterMaps, AMajorityIsWaitedFor) {
  replace_a();
  for (FakeNode* node : {&b, &c, &new_a}) node->fall_silent();
  auto later = std::async(std::launch::async, [&] {
    std::this_thread::sleep_for(200ms);
    for (FakeNode* node : {&b, &c, &new_a}) node->go_on();
  });
  EXPECT_EQ(master_in(find({&a, &b, &c}), 0), new_a.where().port);
  EXPECT_GE(took, 150ms);
  later.get();
}

TEST_F(ClusterMaps, WhereFewerAnswerInTimeTheyAreFollowed) {
  replace_a();
  for (FakeNode* node : {&b, &c, &new_a}) node->fall_silent();
  EXPECT_EQ(master_in(find({&a, &b, &c}), 0), a.where().port);
  EXPECT_GE(took, 500ms);
  EXPECT_LT(took, 2s);
}

TEST_F(ClusterMaps, WhoHasAnotherMapGivesUpInTimeAndWhoHasNoneWaits) {
  for (FakeNode* node : {&a, &b, &c}) node->fall_silent();
  const auto none = find({&a, &b}, true);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, FailureCode::timed_out);
  EXPECT_LT(took, 2s);
  auto later = std::async(std::launch::async, [&] {
    std::this_thread::sleep_for(800ms);
    a.go_on();
  });
  EXPECT_EQ(master_in(find({&a, &b}), 0), a.where().port);
  later.get();
}

TEST_F(ClusterMaps, WhereNobodyIsInAClusterEachSaysSoOnce) {
  FakeNode plain("id-plain");
  FakeNode also_plain("id-also-plain");
  const auto none = find({&plain, &also_plain});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, FailureCode::unsupported);
  EXPECT_EQ(none.error().applied, core::Applied::no);
  EXPECT_NE(none.error().detail.find(std::to_string(plain.where().port) +
                                     ", 127.0.0.1:" + std::to_string(also_plain.where().port)),
            std::string::npos)
      << none.error().detail;
}

}  // namespace
}  // namespace tenure::test
