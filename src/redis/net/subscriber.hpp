// The connection by which messages on one channel come: opened when somebody waits, and again after it broke,
// less and less often.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "redis/net/wire.hpp"
#include "runtime/store/subscription.hpp"

namespace tenure::redis {

class Subscriber : public runtime::Subscription {
 public:
  // What a message on the channel says; nothing when it is none of Tenure's.
  using Read = std::function<std::optional<runtime::Message>(const std::string& text)>;

  // Address and TLS live longer than this.
  Subscriber(const Address& address, std::string channel, const runtime::Tls& tls, Read read);

  void open(core::Time now, core::Random& random) override;
  void on_ready(core::Time now, core::Random& random, std::vector<runtime::Message>& messages) override;
  void on_timer(core::Time now, core::Random& random) override;
  void close() override;

  runtime::Awaited awaited() const override { return wire_.awaited(); }
  std::optional<core::Time> wake() const override { return due_; }
  bool listening() const override { return listening_; }

 private:
  void dial(core::Time now, core::Random& random);
  void on_dialing(core::Time now, core::Random& random);
  void fail(core::Time now, core::Random& random);
  bool hear(const Value& value, std::vector<runtime::Message>& messages);

  const Address& address_;
  std::string channel_;
  Read read_;
  Wire wire_;
  std::size_t unanswered_ = 0;  // commands of the greeting, and the subscription
  bool listening_ = false;
  unsigned failures_ = 0;            // in a row
  std::optional<core::Time> due_{};  // to try again, or to give a try up
};

}  // namespace tenure::redis
