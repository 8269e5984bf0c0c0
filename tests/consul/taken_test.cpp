// Names whose holder has died, and keys that it leaves: unlocked, and there.
#include <thread>

#include "consul/bench.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using core::KeyAnswer;

class Taken : public OnConsul, protected Bench {
 protected:
  Taken() : Bench(options("web-2")) {}

  core::KeyState shown_state() {
    const auto reply = run(consul::look(desk(), {{job}}));
    return std::get<core::KeyStates>(reply).front();
  }
  // As Consul leaves it that has ended a session.
  void end_session_of_holder() {
    ASSERT_EQ(server.request("PUT", "/v1/session/destroy/" + session_that_holds("job")).status, 200);
  }
  core::Token acquired(const core::Grant& grant) {
    for (int tries = 0; tries < 15; ++tries) {
      const auto reply = run(consul::acquire(desk(), {job, grant, ttl}));
      if (std::holds_alternative<core::Granted>(reply)) return token_of(reply);
      std::this_thread::sleep_for(1s);
    }
    ADD_FAILURE() << "it is never given";
    return 0;
  }

  const core::Ttl ttl = 10s;
  const std::string job = key("job");
  Bench dead{options("web-1")};
};

TEST_F(Taken, FromTheDeadHasATokenThatIsRenewedAndShown) {
  const core::Token first = token_of(dead.run(consul::acquire(dead.desk(), {job, {"web-1", 1}, ttl})));
  end_session_of_holder();
  const core::Grant theirs{"web-2", 2};
  const core::Token next = acquired(theirs);
  EXPECT_GT(next, first);
  EXPECT_EQ(first_of(run(consul::renew(desk(), {ttl, {{job, theirs, next}}}))), KeyAnswer::done);
  const auto state = shown_state();
  ASSERT_TRUE(state.holder);
  EXPECT_EQ(state.holder->token, next);
  EXPECT_EQ(first_of(run(consul::release(desk(), {job, theirs}))), KeyAnswer::done);
  EXPECT_EQ(shown().find(".lock"), std::string::npos) << shown();
}

TEST_F(Taken, AndMovedToALongerSessionIsReleasedByWhatItHasBecome) {
  const core::Grant ours{"web-2", 1};
  const core::Token token = token_of(run(consul::acquire(desk(), {job, ours, ttl})));
  EXPECT_EQ(first_of(run(consul::renew(desk(), {20s, {{job, ours, token}}}))), KeyAnswer::done);
  const std::string body = server.request("GET", "/v1/kv/" + prefix + "/job/.lock").body;
  const std::string index = std::to_string(shared.held(job, ours)->entry.modified);
  EXPECT_NE(body.find("\"ModifyIndex\": " + index), std::string::npos) << index << " is not in " << body;
  EXPECT_EQ(shown_state().holder.value().token, token);
}

}  // namespace
}  // namespace tenure::test
