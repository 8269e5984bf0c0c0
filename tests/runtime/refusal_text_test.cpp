// What users are told is the same for every store: the store gives the names of its nodes, and says why they are not open.
#include "runtime/text/refusal_text.hpp"

#include <gtest/gtest.h>

namespace tenure::test {

namespace {

using core::RefusalCode;
using runtime::Patience;

// Has names and words, and no nodes.
class NamedStore : public runtime::Store {
 public:
  explicit NamedStore(std::vector<std::string> names) : Store(std::move(names), {}) {}

  std::vector<std::shared_ptr<runtime::Node>> make_nodes() const override { return {}; }
  tl::expected<std::string, std::string> lock_key(const std::string& prefix,
                                                  const std::string& name) const override {
    return prefix + name;
  }
  std::string name_in(std::string key) const override { return key; }
  tl::expected<std::string, std::string> fleet_keys(const std::string& fleet) const override { return fleet; }
  tl::expected<runtime::DataPlace, std::string> fleet_data(const std::string&, const Tls&) const override {
    return {};
  }
  runtime::NotOpenText not_open_text(const core::Refusal&, Patience patience,
                                     std::optional<core::Duration>) const override {
    return {patience == Patience::waits ? "closed for another 5s" : "closed"};
  }
  std::vector<core::NodeFailure> diagnosed(std::vector<core::NodeFailure> failures) const override {
    return failures;
  }
  runtime::Answers<core::KeyState> look(const std::string&, core::Duration) const override { return {}; }
  runtime::Answers<core::Duration> ping(core::Duration) const override { return {}; }
};

core::NodeFailure failure(core::NodeIndex node, const std::string& detail) {
  return {node, {core::Applied::no, core::FailureCode::closed, detail}};
}

const NamedStore one({"a"});
const NamedStore three({"a", "b", "c"});

}  // namespace

TEST(RefusalText, NamesTheNodeThatFailed) {
  EXPECT_EQ(runtime::refusal_text({.code = RefusalCode::no_quorum}, "job", one), "a: no answer");
  EXPECT_EQ(
      runtime::refusal_text({.code = RefusalCode::no_quorum, .failures = {failure(0, "away")}}, "job", one),
      "a: away");
}

TEST(RefusalText, HasALineForEachOfSeveralNodesWithWhatItSaidLast) {
  EXPECT_EQ(runtime::refusal_text({.code = RefusalCode::no_quorum,
                                   .failures = {failure(2, "away"), failure(0, "slow"), failure(2, "gone")}},
                                  "job", three),
            "2 of 3 nodes must answer, and 2 failed:\n  a: slow\n  c: gone");
  EXPECT_EQ(
      runtime::refusal_text({.code = RefusalCode::no_quorum, .failures = {failure(1, "away")}}, "job", three),
      "2 of 3 nodes must answer: b: away");
}

TEST(RefusalText, OfANodeThatIsNotOpenIsTheWordOfTheStore) {
  EXPECT_EQ(runtime::refusal_text({.code = RefusalCode::not_open}, "job", one), "closed");
  EXPECT_EQ(runtime::waiting_text({.code = RefusalCode::not_open}, "job", one),
            "waiting for job: closed for another 5s");
}

TEST(RefusalText, SaysWhoHoldsTheName) {
  const core::Refusal held{
      .code = RefusalCode::held,
      .held = core::Held{.holder = {.owner = "web-3", .token = 5}, .left = core::Ttl(12'000)}};
  EXPECT_EQ(runtime::refusal_text(held, "job", one), "job is held by web-3 for another 12s (token 5)");
  EXPECT_EQ(runtime::waiting_text(held, "job", three),
            "waiting for job: held by web-3 for another 12s (token 5)");
}

}  // namespace tenure::test
