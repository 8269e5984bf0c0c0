// How a connection that was idle is made anew by Sentinels: what was asked meanwhile is answered once and in order, wherever it goes.
#include "redis/net/link.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <mutex>

#include "runtime/boot_clock.hpp"
#include "support/fake_server.hpp"
#include "support/forwarder.hpp"
#include "support/wait.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using core::RequestId;

const core::Grant grant("us", 0xaa);

std::string bulk(const std::string& text) {
  return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

core::Request acquire(const std::string& key) { return core::AcquireRequest{key, grant, 10s}; }
core::Request release(const std::string& key) { return core::ReleaseRequest{key, grant}; }

// A master that gives everything to everybody, and a Sentinel that names it, each behind a network of its own.
class LinkBySentinels : public ::testing::Test {
 protected:
  Said answer(const std::vector<std::string>& command) {
    const std::lock_guard lock(mutex_);
    heard_.push_back(command);
    if (command.front() == "ROLE") return "*3\r\n" + bulk("master") + ":0\r\n*0\r\n";
    if (command.front() == "EVAL") return "*1\r\n:1\r\n";  // the first release brings its script along
    if (script_answers_.empty()) return ":5\r\n";
    Said next = script_answers_.front();
    script_answers_.erase(script_answers_.begin());
    return next;
  }
  // The same for the scripts that come next, whatever they are.
  void answer_scripts(std::vector<Said> answers) {
    const std::lock_guard lock(mutex_);
    script_answers_ = std::move(answers);
  }
  std::size_t times_heard(const std::string& word) {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(
        std::ranges::count_if(heard_, [&](const auto& command) { return command.front() == word; }));
  }
  // The keys that scripts were called with, in order.
  std::vector<std::string> keys_heard() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> keys;
    for (const auto& command : heard_) {
      if (command.front() == "EVAL" || command.front() == "EVALSHA") keys.push_back(command.at(3));
    }
    return keys;
  }

  redis::Link& link(redis::Conversation::Introduce introduce = {}) {
    address_ =
        redis::parse_url("redis-sentinel://127.0.0.1:" + std::to_string(to_sentinel_.port()) + "/0#mymaster")
            .value();
    return link_.emplace(0, address_, redis::Keyspace{}, std::move(introduce),
                         redis::Conversation::new_seen(), tls_, 10s);
  }
  void ask(std::uint64_t id, core::Request request) {
    link_->ask(RequestId{id}, std::move(request), now_, news_);
    link_->flush(news_);
  }
  template <class Condition>
  bool pump_until(Condition condition) {
    return wait_until([&] {
      const auto awaited = link_->awaited();
      pollfd ready{awaited.fd, awaited.events, 0};
      if (poll(&ready, awaited.fd < 0 ? 0 : 1, 10) > 0) link_->on_ready(now_, news_);
      return condition();
    });
  }
  bool pump_until_answered(std::size_t count) {
    return pump_until([&] { return news_.answers.size() >= count; });
  }
  void be_idle() { now_ += 2s; }
  // Those that the server has granted or released, and those that failed, as negative numbers.
  std::vector<int> outcomes() const {
    std::vector<int> ids;
    for (const auto& it : news_.answers) {
      const int id = static_cast<int>(it.id);
      ids.push_back(std::holds_alternative<core::Failure>(it.reply) ? -id : id);
    }
    return ids;
  }

  std::mutex mutex_;
  std::vector<std::vector<std::string>> heard_{};
  std::vector<Said> script_answers_{};
  FakeServer master_{[this](const auto& command) { return answer(command); }};
  Forwarder to_master_{master_.address().path, Forwarder::Listens::tcp};
  FakeServer sentinel_{Said("*2\r\n" + bulk("127.0.0.1") + bulk(std::to_string(to_master_.port())))};
  Forwarder to_sentinel_{std::to_string(sentinel_.port()), Forwarder::Listens::tcp};
  redis::Address address_{};
  runtime::Tls tls_{};
  std::optional<redis::Link> link_{};
  runtime::News news_{};
  core::Time now_ = runtime::boot_now();
};

TEST_F(LinkBySentinels, WhatIsAskedWhileItIsDialledAnewIsAnsweredOnceAndInOrder) {
  link();
  ask(1, acquire("a"));
  ASSERT_TRUE(pump_until_answered(1));
  be_idle();
  ask(2, acquire("b"));
  ask(3, release("b"));
  ask(4, acquire("c"));
  ASSERT_TRUE(pump_until_answered(4));
  EXPECT_EQ(outcomes(), (std::vector{1, 2, 3, 4}));
  EXPECT_EQ(keys_heard(), (std::vector<std::string>{"a", "b", "b", "c"}));
  EXPECT_EQ(times_heard("ROLE"), 2U) << "two connections";
}

TEST_F(LinkBySentinels, WhereTheSentinelsAreSilentItGoesOverTheConnectionThatStandsOnceAndInOrder) {
  link();
  ask(1, acquire("a"));
  ASSERT_TRUE(pump_until_answered(1));
  be_idle();
  to_sentinel_.hold();
  ask(2, acquire("b"));
  ask(3, release("b"));
  ask(4, acquire("c"));
  ASSERT_TRUE(pump_until_answered(4));
  EXPECT_EQ(outcomes(), (std::vector{1, 2, 3, 4}));
  EXPECT_EQ(keys_heard(), (std::vector<std::string>{"a", "b", "b", "c"}));
  EXPECT_EQ(times_heard("ROLE"), 1U) << "the same connection";
}

TEST_F(LinkBySentinels, WhereTheConnectionThatStoodHasEndedMeanwhileEachFailsOnceAndTheNextMakesAnother) {
  link();
  ask(1, acquire("a"));
  ASSERT_TRUE(pump_until_answered(1));
  be_idle();
  to_sentinel_.hold();
  ask(2, acquire("b"));
  ask(3, release("b"));
  to_master_.cut();
  ASSERT_TRUE(pump_until_answered(3));
  EXPECT_EQ(outcomes(), (std::vector{1, -2, -3}));
  EXPECT_EQ(std::get<core::Failure>(news_.answers.back().reply).applied, core::Applied::no);
  EXPECT_FALSE(link_->waiting());
  to_master_.mend();
  to_sentinel_.mend();
  ask(4, acquire("c"));
  ASSERT_TRUE(pump_until_answered(4));
  EXPECT_EQ(outcomes(), (std::vector{1, -2, -3, 4}));
}

// It was admitted, and is to be admitted again because the record has changed; the server says half of its answer, and no more.
TEST_F(LinkBySentinels, HalfAnAdmissionOfTheOldConnectionIsNotMixedWithThatOfTheNewOne) {
  const std::string open = " open life 1700000000000 1700000000000 60000 restarted";
  const std::string first = bulk("60000 1 e1" + open);
  const std::string second = bulk("60000 1 e2" + open);
  answer_scripts({first, second, second.substr(0, 20), second, ":5\r\n"});
  link([] { return redis::Introduction{"new", 1000}; });
  ask(1, acquire("a"));
  ASSERT_TRUE(pump_until_answered(1));
  ASSERT_TRUE(std::holds_alternative<core::NotOpen>(news_.answers.front().reply));
  ASSERT_TRUE(wait_until([&] { return times_heard("EVALSHA") == 3; }));
  // So that the half is read, of which nothing is to be seen.
  const core::Time then = runtime::boot_now() + 100ms;
  ASSERT_TRUE(pump_until([&] { return runtime::boot_now() > then; }));
  ASSERT_EQ(news_.admitted.size(), 1U);
  be_idle();
  ask(2, acquire("a"));
  ASSERT_TRUE(pump_until_answered(2));
  EXPECT_TRUE(std::holds_alternative<core::Granted>(news_.answers.back().reply));
  EXPECT_EQ(news_.admitted.size(), 2U);
}

}  // namespace
}  // namespace tenure::test
