// The connection by which messages of one node come: opened when somebody waits, and again after it broke,
// less and less often. Not safe from several threads: the engine guards it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/random.hpp"
#include "core/base/time.hpp"
#include "runtime/net/wire.hpp"

namespace tenure::runtime {

class Subscriber {
 public:
  Subscriber(const redis::Address& address, std::string channel, const Tls& tls);

  // Somebody waits. Notices whether the connection broke while nobody listened to it.
  void open(core::Time now, core::Random& random);
  // Messages are appended.
  void on_ready(core::Time now, core::Random& random, std::vector<std::string>& messages);
  void on_timer(core::Time now, core::Random& random);
  // Listens no more, until it is opened again.
  void close();
  // When on_timer is due, if at all.
  std::optional<core::Time> wake() const { return due_; }

  // Does Redis send us what is published?
  bool listening() const { return listening_; }
  const Wire& wire() const { return wire_; }

 private:
  void dial(core::Time now, core::Random& random);
  void on_dialing(core::Time now, core::Random& random);
  void fail(core::Time now, core::Random& random);
  bool hear(const redis::Value& value, std::vector<std::string>& messages);

  const redis::Address& address_;
  std::string channel_;
  Wire wire_;
  std::size_t unanswered_ = 0;  // commands of the greeting, and the subscription
  bool listening_ = false;
  unsigned failures_ = 0;            // in a row
  std::optional<core::Time> due_{};  // to try again, or to give a try up
};

}  // namespace tenure::runtime
