// Tells waiters when a key is free that they wait for: Consul answers a question about each of them when it changes. A hint, and a
// herd: all who wait are told, and one is first.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "consul/net/shared.hpp"
#include "http_client/http_calls.hpp"
#include "runtime/store/subscription.hpp"

namespace tenure::consul {

class Watcher : public runtime::Subscription {
 public:
  explicit Watcher(std::shared_ptr<Shared> shared);
  ~Watcher() override { close(); }

  void open(core::Time now, core::Random& random) override;
  void on_ready(core::Time now, core::Random& random, std::vector<runtime::Message>& messages) override;
  void on_timer(core::Time now, core::Random& random) override;
  void close() override;

  runtime::Awaited awaited() const override { return calls_.awaited(); }
  std::optional<core::Time> wake() const override { return due_ ? due_ : resumed_; }
  // Without a descriptor nothing is heard.
  bool listening() const override { return open_ && !due_ && (!calls_.busy() || calls_.awaited().fd >= 0); }

 private:
  using CallId = http_client::HttpCallId;

  void watch(const std::string& key, Index from);
  void watch_all(bool from_now);
  // False: it cannot be understood.
  bool hear(const std::string& key, const http_client::HttpAnswer& answer, core::Time now,
            std::vector<runtime::Message>& messages);
  void unpause();
  void fail(core::Time now, core::Random& random);

  std::shared_ptr<Shared> shared_;
  http_client::HttpCalls calls_;
  std::map<CallId, std::string> keys_{};  // what is asked about
  std::uint64_t last_ = 0;
  bool open_ = false;
  unsigned failures_ = 0;              // in a row: rounds of all keys of which one failed
  std::size_t unheard_ = 0;            // of the round since the last failure
  std::vector<std::string> paused_{};  // keys that are asked about again then:
  std::optional<core::Time> resumed_{};
  std::optional<core::Time> due_{};  // to try again
};

}  // namespace tenure::consul
