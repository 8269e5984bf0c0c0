// Watches the Leases that we wait for, and wakes who waits when one is free. Nothing rests on it: who waits looks by itself, too. What it
// sees of a Lease also counts as seen, so that a waiter knows how long its holder has been silent.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "http_client/http_calls.hpp"
#include "kubernetes/net/shared.hpp"
#include "kubernetes/watch_event.hpp"
#include "runtime/store/subscription.hpp"

namespace tenure::kubernetes {

class Watcher : public runtime::Subscription {
 public:
  // What is shared lives longer.
  explicit Watcher(Shared& shared);
  ~Watcher() override;
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  void open(core::Time now, core::Random& random) override;
  void on_ready(core::Time now, core::Random& random, std::vector<runtime::Message>& messages) override;
  void on_timer(core::Time now, core::Random& random) override;
  void close() override;

  runtime::Awaited awaited() const override { return calls_.awaited(); }
  std::optional<core::Time> wake() const override { return due_; }
  // There is nothing to hear before somebody waits.
  bool listening() const override { return state_ == State::listening; }

 private:
  enum class State : std::uint8_t {
    closed,
    listening,
    failed,  // it is tried again when that is due
    trying,  // again, and nothing has gone wrong yet
  };
  // One watch, of an object, or under an empty name of all in the namespace.
  struct Watch {
    http_client::HttpCallId call{};
    std::string version{};  // from which it would go on
    EventLines lines{};
  };

  void follow_waiters();
  void start(const std::string& object, const std::string& version);
  void stop(std::map<std::string, Watch>::iterator watch);
  void hear(const http_client::HttpNews& news, core::Time now, core::Random& random,
            std::vector<runtime::Message>& messages);
  void hear_piece(const std::string& object, Watch& watch, const std::string& piece,
                  std::vector<runtime::Message>& messages);
  void hear_event(Watch& watch, WatchEvent event, std::vector<runtime::Message>& messages);
  void wake_waiters(const std::string& object, std::vector<runtime::Message>& messages) const;
  void fail(core::Time now, core::Random& random);
  void believe(const std::string& object, bool watched);

  Shared& shared_;
  http_client::HttpCalls calls_;
  State state_ = State::closed;
  std::map<std::string, Watch> watches_{};  // by object
  std::uint64_t last_call_ = 0;
  unsigned failures_ = 0;            // in a row
  std::optional<core::Time> due_{};  // to try again, or to believe that it works
};

}  // namespace tenure::kubernetes
