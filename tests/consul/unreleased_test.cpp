// Leases whose release has failed: the session that all leases share must not keep them.
#include <thread>

#include "consul/bench.hpp"
#include "consul/net/link.hpp"
#include "support/wait.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using core::KeyAnswer;

class Unreleased : public OnConsul, protected Bench {
 protected:
  Unreleased() : Bench(options("web-1")) {}

  // Its request was given up before it was answered.
  void fail_to_release() { shared.doubt_release(job, ours, runtime::boot_now()); }
  bool given_to_other() {
    const auto reply = other.run(consul::acquire(other.desk(), {job, {"web-2", 1}, ttl}));
    return std::holds_alternative<core::Granted>(reply);
  }

  const core::Ttl ttl = 10s;
  const std::string job = key("job");
  const core::Grant ours{"web-1", 1};
  Bench other{options("web-2")};
};

TEST_F(Unreleased, IsTakenByOthersThoughItsClientGoesOnToAcquire) {
  token_of(run(consul::acquire(desk(), {job, ours, ttl})));
  fail_to_release();
  const core::Time failed = runtime::boot_now();
  std::uint64_t nonce = 100;
  bool given = false;
  while (!given && runtime::boot_now() - failed < 40s) {
    const core::Grant another{"web-1", ++nonce};
    token_of(run(consul::acquire(desk(), {key("another"), another, ttl})));
    EXPECT_EQ(first_of(run(consul::release(desk(), {key("another"), another}))), KeyAnswer::done);
    given = given_to_other();
    std::this_thread::sleep_for(500ms);
  }
  EXPECT_TRUE(given) << "the session of later leases keeps it for ever";
}

TEST_F(Unreleased, IsRemovedByWhoMeetsItAgainOrRenewsAnother) {
  const core::Grant kept{"web-1", 7};
  const core::Token token = token_of(run(consul::acquire(desk(), {key("kept"), kept, ttl})));
  token_of(run(consul::acquire(desk(), {job, ours, ttl})));
  fail_to_release();
  const core::Grant again{"web-1", 2};
  token_of(run(consul::acquire(desk(), {job, again, ttl})));
  EXPECT_FALSE(given_to_other()) << "this one is held";
  shared.doubt_release(job, again, runtime::boot_now());
  EXPECT_EQ(first_of(run(consul::renew(desk(), {ttl, {{key("kept"), kept, token}}}))), KeyAnswer::done);
  EXPECT_TRUE(given_to_other());
}

// It was lost, and nobody released it: what is renewed beside it must not keep it.
TEST_F(Unreleased, AndNotRenewedEndsThoughAnotherIsRenewed) {
  const core::Grant kept{"web-1", 7};
  const core::Token token = token_of(run(consul::acquire(desk(), {key("kept"), kept, ttl})));
  token_of(run(consul::acquire(desk(), {job, ours, ttl})));
  const core::RenewRequest renewal{ttl, {{key("kept"), kept, token}}};
  EXPECT_EQ(first_of(run(consul::renew(desk(8s), renewal))), KeyAnswer::done);
  EXPECT_FALSE(given_to_other()) << "its time is not over";
  EXPECT_EQ(first_of(run(consul::renew(desk(11s), renewal))), KeyAnswer::done);
  EXPECT_TRUE(given_to_other());
  EXPECT_EQ(first_of(run(consul::renew(desk(12s), renewal))), KeyAnswer::done);
}

TEST_F(Unreleased, IsNotWhatIsRenewedWhereLeasesArePutBack) {
  const core::Token token = token_of(run(consul::acquire(desk(), {job, ours, ttl})));
  const core::ReassertRequest again{ttl, false, {{job, ours, token}}};
  EXPECT_EQ(first_of(run(consul::reassert(desk(8s), again))), KeyAnswer::done);
  EXPECT_EQ(first_of(run(consul::renew(desk(12s), {ttl, {{job, ours, token}}}))), KeyAnswer::done);
  EXPECT_FALSE(shared.is_orphan(job, ours));
  EXPECT_NE(session_that_holds("job"), "");
}

TEST_F(Unreleased, IsNotedByTheConnectionThatCouldNotTell) {
  const auto known = std::make_shared<consul::Shared>(shared.place());
  consul::Link link(core::NodeIndex{}, known);
  runtime::News news;
  for (const bool all : {false, true}) {
    const core::Grant grant{"web-1", all ? 2U : 1U};
    const core::RequestId id{all ? 2U : 1U};
    link.ask(id, core::ReleaseRequest{job, grant}, runtime::boot_now(), news);
    link.flush(news);
    EXPECT_FALSE(known->is_orphan(job, grant));
    if (all) {
      link.drop(core::silence, news);
    } else {
      link.give_up(id, core::silence, news);
    }
    EXPECT_TRUE(known->is_orphan(job, grant));
  }
}

}  // namespace
}  // namespace tenure::test
