// The program on a Kubernetes and on a Consul: the same words, sentences and exit codes as on Redis, as far as the store can.
#include <gtest/gtest.h>

#include <csignal>
#include <memory>

#include "cli/tenure_program.hpp"
#include "support/stores/consul_server.hpp"
#include "support/stores/kubernetes_server.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

// Where a test is, and what the program needs to get there.
struct Spot {
  std::string url;
  Words environment{};
  std::string shown{};  // as the program calls it
};

struct Kind {
  const char* name;
  std::string says;
  Spot (*spot)();
  std::string how_to_break;
};

Spot in_kubernetes() {
  KubernetesServer& server = shared_kubernetes();
  const std::string space = server.new_namespace();
  return {"kubernetes://", {"KUBECONFIG=" + server.kubeconfig(space), "KUBERNETES_SERVICE_HOST"}, space};
}

Spot in_consul() {
  ConsulServer& server = shared_consul();
  const std::string url = server.url(server.new_prefix());
  return {url, {"CONSUL_HTTP_TOKEN", "CONSUL_HTTP_TOKEN_FILE"}, url};
}

class OnStore : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (!is_kubernetes()) {
      const Result made = tell({"init"});
      ASSERT_EQ(made.code, 0) << made.err;
    }
  }
  bool is_kubernetes() const { return std::string(GetParam().name) == "Kubernetes"; }
  Words with_store(Words words) const {
    const auto mark = std::ranges::find(words, "--");
    words.insert(mark, {"--store", spot.url});
    return words;
  }
  std::unique_ptr<Process> start(Words words) const {
    return start_tenure(with_store(std::move(words)), spot.environment);
  }
  Result tell(Words words) const { return result_of(*start(std::move(words))); }
  // With that name until it is ended.
  std::unique_ptr<Process> holder(const std::string& name, const std::string& id) const {
    return start(Words{"run", name, "--id", id, "--ttl", "10s", "--"} + stay());
  }

  Spot spot = GetParam().spot();
};

TEST_P(OnStore, ACommandRunsUnderItsLeaseAndLeavesNothing) {
  const Result done = tell(Words{"run", "job", "--ttl", "10s", "--"} + shell("echo $TENURE_TOKEN; exit 7"));
  EXPECT_EQ(done.code, 7) << done.err;
  EXPECT_GT(std::stol("0" + done.out), 0);
  EXPECT_EQ(tell({"lock", "ls", "--json"}).out, "{\"locks\": [], \"fleets\": []}\n");
  const Result again = tell(Words{"run", "job", "--ttl", "10s", "--"} + shell("echo $TENURE_TOKEN"));
  EXPECT_GT(std::stol("0" + again.out), std::stol("0" + done.out)) << again.err;
}

TEST_P(OnStore, TheSecondIsToldWhoHasItAndWhoWaitsGetsIt) {
  const auto first = holder("job", "web-3");
  const long token = number_printed(*first);
  const Result second = tell(Words{"run", "job", "-n", "--id", "web-4", "--ttl", "10s", "--", "true"});
  EXPECT_EQ(second.code, 75) << second.err;
  EXPECT_TRUE(has(second.err, "job is held by web-3")) << second.err;
  EXPECT_TRUE(has(second.err, "(token " + std::to_string(token) + ")")) << second.err;
  const auto waiter =
      start(Words{"run", "job", "--id", "web-5", "--ttl", "10s", "--"} + shell("echo $TENURE_TOKEN"));
  EXPECT_FALSE(waiter->wait(500ms));
  first->send(SIGTERM);
  EXPECT_EQ(waiter->exit_code(), 0) << waiter->err();
  EXPECT_GT(std::stol("0" + waiter->out()), token);
}

TEST_P(OnStore, LocksAndElectionsAreShown) {
  const auto first = holder("job", "web-3");
  const std::string token = std::to_string(number_printed(*first));
  const auto leader = start({"elect", "app-leader", "--id", "web-6", "--lease", "10s"});
  ASSERT_TRUE(prints(*leader, "elected")) << leader->err();
  const Result all = tell({"lock", "ls"});
  EXPECT_EQ(all.code, 0) << all.err;
  const auto rows = table(all.out);
  ASSERT_EQ(rows.size(), 3U) << all.out;
  EXPECT_EQ(Words(rows[1].begin(), rows[1].begin() + 4), (Words{"app-leader", "election", "held", "web-6"}));
  EXPECT_EQ(Words(rows[2].begin(), rows[2].begin() + 5), (Words{"job", "lock", "held", "web-3", token}));
  const Result one = tell({"lock", "show", "job"});
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_TRUE(has(one.out, "web-3")) << one.out;
  EXPECT_TRUE(has(one.out, token)) << one.out;
  const Result election = tell({"lock", "show", "app-leader"});
  EXPECT_TRUE(has(election.out, "web-6")) << election.out << election.err;
  EXPECT_EQ(tell({"lock", "show", "nobodys"}).code, 1);
}

TEST_P(OnStore, ACandidateThatIsEndedMakesRoomForTheNext) {
  const auto first = start({"elect", "app-leader", "--id", "web-1", "--lease", "10s"});
  ASSERT_TRUE(prints(*first, "elected")) << first->err();
  const auto second = start({"elect", "app-leader", "--id", "web-2", "--lease", "10s"});
  EXPECT_FALSE(second->wait(300ms));
  EXPECT_FALSE(has(second->out(), "elected"));
  first->send(SIGTERM);
  EXPECT_TRUE(prints(*second, "elected")) << second->err();
}

TEST_P(OnStore, DoctorSaysHowItIs) {
  const Result result = tell({"doctor"});
  EXPECT_EQ(result.code, is_kubernetes() ? 0 : 1)
      << result.out << result.err;  // an agent for development is no store
  EXPECT_TRUE(has(result.out, "Healthy nodes: 1 / 1")) << result.out;
  EXPECT_TRUE(has(result.out, GetParam().says + " ")) << result.out;
  EXPECT_TRUE(has(result.out, spot.shown)) << result.out;
  EXPECT_EQ(has(result.out, "runs for development"), !is_kubernetes()) << result.out;
  EXPECT_TRUE(tell({"doctor", "--json"}).out.starts_with("{"));
}

TEST_P(OnStore, ATtlThatTheStoreCannotKeepIsRefusedBeforeItIsAsked) {
  const Result result = tell({"run", "job", "--ttl", "500ms", "--", "true"});
  EXPECT_EQ(result.code, 64) << result.err;
  EXPECT_TRUE(has(result.err, GetParam().says)) << result.err;
  EXPECT_TRUE(has(result.err, is_kubernetes() ? "1s" : "10s")) << result.err;
}

TEST_P(OnStore, FleetsAreRefusedWithTheWay) {
  for (const Words& words :
       {Words{"status"}, Words{"sessions", "ls"}, Words{"explain", "a"}, Words{"poll"}, Words{"demo"}}) {
    const Result result = tell(words);
    EXPECT_EQ(result.code, 64) << words[0] << ": " << result.err;
    EXPECT_TRUE(has(result.err, GetParam().says)) << words[0] << ": " << result.err;
    EXPECT_TRUE(has(result.err, "PostgreSQL")) << words[0] << ": " << result.err;
  }
}

TEST_P(OnStore, NobodyBreaksALeaseThereButIsToldHow) {
  const auto first = holder("job", "web-3");
  number_printed(*first);
  const Result result = tell({"lock", "break", "job", "--yes"});
  EXPECT_EQ(result.code, 64) << result.err;
  EXPECT_TRUE(has(result.err, GetParam().how_to_break)) << result.err;
  EXPECT_TRUE(first->running());
}

TEST_P(OnStore, ThereIsNoSetOfNodes) {
  EXPECT_EQ(tell({"reconfigure"}).code, 64);
  const Result two = tell({"run", "job", "--store", spot.url, "--ttl", "10s", "--", "true"});
  EXPECT_EQ(two.code, 64);
  EXPECT_TRUE(has(two.err, "only node") || has(two.err, "one")) << two.err;
  const Result mixed = tell({"run", "job", "--store", "redis://127.0.0.1:1", "--", "true"});
  EXPECT_EQ(mixed.code, 64);
  EXPECT_TRUE(has(mixed.err, "some nodes are Redis and some " + GetParam().says)) << mixed.err;
  EXPECT_EQ(tell({"run", "job", "--node-set", "mine", "--", "true"}).code, 64);
}

TEST_P(OnStore, TheEnvironmentNamesItAsWell) {
  const Result result = tenure(Words{"run", "job", "--ttl", "10s", "--", "true"},
                               spot.environment + Words{"TENURE_STORE=" + spot.url});
  EXPECT_EQ(result.code, 0) << result.err;
}

INSTANTIATE_TEST_SUITE_P(Stores, OnStore,
                         testing::Values(Kind{"Kubernetes", "Kubernetes", in_kubernetes,
                                              "kubectl delete lease -n test-"},
                                         Kind{"Consul", "Consul", in_consul, "consul kv delete test-"}),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace tenure::test
