// The connection by which messages on one channel come: opened when somebody waits, and again after it broke, less and less
// often. Behind a pooler that gives each transaction another session there is nothing to hear: then it does not listen, and who
// waits looks by itself.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "postgres/net/wire.hpp"
#include "runtime/store/subscription.hpp"

namespace tenure::postgres {

class Listener : public runtime::Subscription {
 public:
  // What a message says; nothing when it is none of Tenure's.
  using Read = std::function<std::optional<runtime::Message>(const std::string& text)>;

  // The address lives longer than this.
  Listener(const Address& address, std::string what, Read read);

  void open(core::Time now, core::Random& random) override;
  void on_ready(core::Time now, core::Random& random, std::vector<runtime::Message>& messages) override;
  void on_timer(core::Time now, core::Random& random) override;
  void close() override;

  runtime::Awaited awaited() const override { return wire_.awaited(); }
  std::optional<core::Time> wake() const override { return due_; }
  bool listening() const override { return step_ == Step::listening; }

 private:
  enum class Step : std::uint8_t { none, asks_what, asks_to_listen, asks_for_lock, listening };

  void dial(core::Time now, core::Random& random);
  void on_dialing(core::Time now, core::Random& random);
  void ask(const Call& call, core::Time now, core::Random& random);
  void hear(const Wire::Answer& answer, core::Time now, core::Random& random);
  void fail(core::Time now, core::Random& random);

  std::string what_;
  Read read_;
  Wire wire_;
  Step step_ = Step::none;
  std::string listen_{};  // the statement
  Value lock_{};
  unsigned failures_ = 0;            // in a row
  std::optional<core::Time> due_{};  // to try again, or to give a try up
};

}  // namespace tenure::postgres
