// A real PostgreSQL and the simulated Redis, side by side: each request of the core goes to both, and what differs is told: the
// reply, what there is behind it, and what waiters were sent. Both have the same clock, and the same owners listen.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/lease/reconfiguration.hpp"
#include "core/message.hpp"
#include "redis/script_call.hpp"
#include "sim/redis/redis_model.hpp"
#include "stepped_postgres.hpp"

namespace tenure::conformance {

class PostgresTwins {
 public:
  // The owners whose waiters may be sent something.
  PostgresTwins(SteppedPostgres& real, sim::ScriptHost& host, const std::vector<std::string>& owners);
  PostgresTwins(const PostgresTwins&) = delete;
  PostgresTwins& operator=(const PostgresTwins&) = delete;

  // Empty again, with nobody who listens. The counter is behind the clock, as it is when nothing was given for a while.
  void reset();

  void listen(const std::string& owner);
  void stop_listening(const std::string& owner);
  bool listens(const std::string& owner) const { return listening_.contains(owner); }

  // Somebody who asks: of which terms, admitted to which epoch, and what it has seen of the node.
  struct Client {
    core::Terms terms{};
    std::string epoch{};
    core::Token seen = 0;
  };
  // Each of these sends to both, and gives what differed, in words, or nothing.
  std::string ask(const core::Request& request, const Client& client);
  std::string admit(const redis::Introduction& introduction, const Client& client);
  std::string init(const redis::Introduction& introduction, const core::Terms& terms);
  // In the place of the record that each shows, or of another one.
  std::string reconfigure(const redis::Introduction& introduction, core::Reconfiguration::Step step,
                          bool of_shown);
  std::string break_lease(const postgres::Break& breaking);

  // Time goes by, a millisecond more where something would end in the very last: there a key of Redis still lives.
  void step(core::Ttl duration);
  // Another process serves: who asks next has to be admitted.
  void begin_new_life(const std::string& run_id);

  // What the model said last, and in words.
  const core::Reply& reply() const { return reply_; }
  const std::string& said() const { return said_; }

  // What the model shows.
  core::FoundRecord record() const;
  core::Token fence() const;
  std::int64_t now_ms() const { return now_ms_; }
  struct Lease {
    core::Grant grant;  // or the ticket that it is kept for
    core::Token token = 0;
    bool kept = false;
    std::string told{};  // of one that is kept: its digits
  };
  std::optional<Lease> lease(const std::string& name) const;

  // Requests that were compared, and messages.
  std::uint64_t steps() const { return steps_; }
  std::uint64_t messages() const { return messages_; }

 private:
  // At which different numbers the two counters may stand after this; then the model's follows.
  struct Excuse {
    core::Token real = 0;
    core::Token model = 0;
  };
  postgres::Keyspace real_keyspace(const core::Terms& terms) const;
  redis::Keyspace model_keyspace(const core::Terms& terms) const;
  redis::Value run(const redis::Command& command);
  SteppedPostgres::Outcome call(const postgres::Call& call);
  std::string compare(const std::string& what, const SteppedPostgres::Outcome& real,
                      const std::string& real_said, std::optional<Excuse> excuse = std::nullopt);
  std::string data() const;

  SteppedPostgres& real_;
  sim::RedisModel model_;
  std::vector<std::string> owners_;
  std::set<std::string, std::less<>> listening_;
  std::int64_t now_ms_ = 0;
  core::Reply reply_;
  std::string said_;
  std::vector<std::string> sent_;  // by the model
  std::uint64_t steps_ = 0;
  std::uint64_t messages_ = 0;
};

}  // namespace tenure::conformance
