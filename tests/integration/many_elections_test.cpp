// A thousand elections of one client: connections and threads do not grow with them.
#include <algorithm>
#include <atomic>
#include <deque>
#include <filesystem>
#include <thread>

#include "integration/api.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t many = 1000;

// One client in many elections, each of which counts what it hears.
class Crowd {
 public:
  struct Member {
    explicit Member(Election it) : election(std::move(it)) {}
    std::atomic<int> elected = 0;
    std::atomic<int> lost = 0;
    Election election;
  };

  Crowd(const Nodes& nodes, const std::string& id) : client_(open(nodes, id)) {}
  ~Crowd() { stop(); }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  void start(std::size_t up_to) {
    while (members_.size() < up_to) {
      auto& it = members_.emplace_back(client_.election("shard:" + std::to_string(members_.size())).value());
      it.election.on_elected([&it](const Lease&) { it.elected += 1; });
      it.election.on_lost([&it](const TermEnd&) { it.lost += 1; });
      ASSERT_TRUE(it.election.start());
    }
  }
  bool all_lead() const {
    return std::ranges::all_of(members_, [](auto& it) { return it.election.is_leader() && it.elected == 1; });
  }
  bool all_see(const std::string& leader) const {
    return std::ranges::all_of(
        members_, [&](auto& it) { return it.election.current_leader().value_or(Leader{}).id == leader; });
  }
  // All of them at once, as a process that ends would do.
  void stop() {
    std::stop_source at_once;
    at_once.request_stop();
    for (auto& it : members_) it.election.stop(at_once.get_token());
    for (auto& it : members_) EXPECT_TRUE(it.election.stop());
  }
  const std::deque<Member>& members() const { return members_; }

 private:
  Client client_;
  std::deque<Member> members_;
};

std::size_t connections(RedisServer& server) {
  const std::string list = server.command({"CLIENT", "LIST"}).text;
  return static_cast<std::size_t>(std::ranges::count(list, '\n'));
}

std::size_t threads() {
  const auto tasks = std::filesystem::directory_iterator("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

TEST(ManyElections, AThousandShareConnectionsAndThreadsAndAreHandedOverTogether) {
  Nodes nodes(1);
  const std::size_t before = connections(nodes[0]);
  std::size_t threads_most = 0;
  Crowd second(nodes, "second");
  {
    Crowd first(nodes, "first");
    first.start(10);
    ASSERT_TRUE(wait_until([&] { return first.all_lead(); }, 20s));
    const std::size_t with_ten = connections(nodes[0]);
    EXPECT_LE(with_ten - before, 4U);
    first.start(many);
    ASSERT_TRUE(wait_until([&] { return first.all_lead(); }, 40s));
    EXPECT_EQ(connections(nodes[0]), with_ten);
    EXPECT_LT(threads(), 100U);

    second.start(10);
    ASSERT_TRUE(wait_until([&] { return second.all_see("first") && nodes.enrolled("shard:9") == 1; }, 20s));
    const std::size_t with_ten_more = connections(nodes[0]);
    EXPECT_LE(with_ten_more - before, 8U);
    second.start(many);
    ASSERT_TRUE(wait_until([&] { return second.all_see("first"); }, 40s));
    ASSERT_TRUE(first.all_lead());
    EXPECT_EQ(connections(nodes[0]), with_ten_more);
    threads_most = std::max(threads_most, threads());
    first.stop();
    threads_most = std::max(threads_most, threads());
    for (const auto& it : first.members()) {
      EXPECT_EQ(it.elected, 1) << it.election.name();
      EXPECT_EQ(it.lost, 1) << it.election.name();
    }
  }
  // Far sooner than by leases of 15 s that run out one after the other; but a busy machine may take its time.
  ASSERT_TRUE(wait_until([&] { return second.all_lead(); }, 40s));
  threads_most = std::max(threads_most, threads());
  EXPECT_LT(threads_most, 2 * 100U) << "of two clients";
  RecordProperty("threads", static_cast<int>(threads_most));
  second.stop();
  for (const auto& it : second.members()) {
    EXPECT_EQ(it.elected, 1) << it.election.name();
    EXPECT_EQ(it.lost, 1) << it.election.name();
  }
  EXPECT_EQ(nodes[0].command({"KEYS", "shard:*"}).items.size(), 0U);
}

}  // namespace
}  // namespace tenure::test
