// A client that was admitted before the data was lost, where another one has written a new record meanwhile: the numbers of changes
// begin again, and may be the same ones.
#include "consul/bench.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

class Epochs : public OnConsul, protected Bench {
 protected:
  Epochs() : Bench(options("web-2")) {}

  // All is lost, and a third client is quicker. What this one knows of the record then has the number of the new one.
  void lose_and_begin_again() {
    server.request("DELETE", "/v1/kv/" + prefix + "/?recurse");
    ASSERT_TRUE(third.run(consul::admit(third.desk())));
    ASSERT_FALSE(third.standing.stored->record.open);
    standing.index = third.standing.index;
  }

  const core::Ttl ttl = 10s;
  Bench third{options("web-3")};
};

TEST_F(Epochs, NothingIsGivenInTheQuarantineOfAnother) {
  token_of(run(consul::acquire(desk(), {key("job"), {"web-2", 1}, ttl})));
  lose_and_begin_again();
  const auto refused = run(consul::acquire(desk(), {key("job"), {"web-2", 2}, ttl}));
  const auto* closed = std::get_if<core::NotOpen>(&refused);
  ASSERT_NE(closed, nullptr) << "it is given what another one may hold";
  ASSERT_TRUE(closed->record.read);
  EXPECT_FALSE(closed->record.read->open);
  EXPECT_EQ(session_that_holds("job"), "");
}

TEST_F(Epochs, NothingIsPutBackInAnotherThatIsNotKnown) {
  const core::Grant ours{"web-2", 1};
  const core::Token token = token_of(run(consul::acquire(desk(), {key("job"), ours, ttl})));
  lose_and_begin_again();
  const auto refused = run(consul::reassert(desk(), {ttl, false, {{key("job"), ours, token}}}));
  const auto* closed = std::get_if<core::NotOpen>(&refused);
  ASSERT_NE(closed, nullptr);
  EXPECT_EQ(closed->record.read->epoch, third.standing.stored->record.epoch);
  EXPECT_EQ(first_of(run(consul::reassert(desk(), {ttl, false, {{key("job"), ours, token}}}))),
            core::KeyAnswer::done)
      << "now it is known";
}

TEST_F(Epochs, ARecordWhoseEpochIsGoneBeginsAQuarantine) {
  server.request("DELETE", "/v1/kv/" + prefix + "/.tenure/epoch/?recurse");
  const auto refused = run(consul::acquire(desk(), {key("job"), {"web-2", 1}, ttl}));
  ASSERT_TRUE(std::holds_alternative<core::NotOpen>(refused));
  EXPECT_FALSE(standing.stored->record.open);
}

}  // namespace
}  // namespace tenure::test
