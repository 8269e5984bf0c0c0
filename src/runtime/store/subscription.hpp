// Messages of one node, as the engine hears them: hints, on which nothing rests. A subscription is opened when somebody waits,
// and opens itself again after it broke.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/random.hpp"
#include "core/base/time.hpp"
#include "runtime/store/connection.hpp"

namespace tenure::runtime {

// One of our waiters should look again, after that long.
struct WakeUp {
  core::Grant ticket{};
  core::Duration after{};
};
// For a waiter, or for an instance of a fleet.
using Message = std::variant<WakeUp, core::FleetChange>;

// Not safe from several threads: the engine guards it.
class Subscription {
 public:
  virtual ~Subscription() = default;
  Subscription() = default;
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;

  // Somebody waits. Notices whether the connection broke while nobody listened to it.
  virtual void open(core::Time now, core::Random& random) = 0;
  // Messages are appended.
  virtual void on_ready(core::Time now, core::Random& random, std::vector<Message>& messages) = 0;
  virtual void on_timer(core::Time now, core::Random& random) = 0;
  // Listens no more, until it is opened again.
  virtual void close() = 0;

  virtual Awaited awaited() const = 0;
  // When on_timer is due, if at all.
  virtual std::optional<core::Time> wake() const = 0;
  // Does the node send us what there is to hear?
  virtual bool listening() const = 0;
};

}  // namespace tenure::runtime
