// A poller with a fleet that a test plays, sessions that it names, and ears for what is told. For tests that link the polling
// worker.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "support/fake_fleet.hpp"
#include "tenure/poller.hpp"

namespace tenure::test {

// Sessions in a test's own hands.
class Named {
 public:
  void set(Sessions sessions) {
    const std::lock_guard lock(mutex_);
    now_ = std::move(sessions);
  }
  void fail(const std::string& why) {
    const std::lock_guard lock(mutex_);
    now_ = tl::unexpected(why);
  }
  tl::expected<Sessions, std::string> now() const {
    const std::lock_guard lock(mutex_);
    return now_;
  }

 private:
  mutable std::mutex mutex_;
  tl::expected<Sessions, std::string> now_;
};

class NamedSource : public SessionSource {
 public:
  explicit NamedSource(const Named& named) : named_(named) {}
  tl::expected<Sessions, std::string> read() override { return named_.now(); }

 private:
  const Named& named_;
};

class Polling {
 public:
  using Kind = PollEvent::Kind;

  explicit Polling(PollWork work, PollerOptions options = {}, std::string id = "here")
      : fleet(std::move(id)),
        poller(fleet, std::make_unique<NamedSource>(sessions), std::move(work),
               with_ears(std::move(options))) {}

  std::vector<PollEvent> told(Kind kind, const std::string& session = {}) const {
    const std::lock_guard lock(mutex_);
    std::vector<PollEvent> some;
    std::ranges::copy_if(events_, std::back_inserter(some), [&](const auto& event) {
      return event.kind == kind && (session.empty() || event.session == session);
    });
    return some;
  }
  std::size_t count(Kind kind, const std::string& session = {}) const { return told(kind, session).size(); }
  bool hears(Kind kind, std::size_t times = 1) const {
    return wait_until([&] { return count(kind) >= times; });
  }

  FakeFleet fleet;
  Named sessions;

 private:
  PollerOptions with_ears(PollerOptions options) {
    // Quickly, where a test does not say otherwise.
    if (options.discovery == PollerOptions{}.discovery) options.discovery = std::chrono::milliseconds(100);
    options.on_event = [this](const PollEvent& event) {
      const std::lock_guard lock(mutex_);
      events_.push_back(event);
    };
    return options;
  }

  mutable std::mutex mutex_;
  std::vector<PollEvent> events_;

 public:
  Poller poller;  // goes first
};

}  // namespace tenure::test
