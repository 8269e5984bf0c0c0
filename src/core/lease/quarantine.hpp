// Sits out the quarantine of one node, or of one part of it, and opens it.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "core/base/random.hpp"
#include "core/lease/founding.hpp"
#include "core/lease/record.hpp"
#include "core/outbox.hpp"

namespace tenure::core {

class Quarantine {
 public:
  // What is known of the set outlives it.
  Quarantine(Place place, Terms terms, const Founding& founding)
      : place_(place), terms_(std::move(terms)), founding_(&founding) {}

  // A connection was admitted with this record. The length counts from the first time that a quarantine is
  // heard of: it began before that, so all older leases are over by then.
  void on_admitted(const Record& record, Time now);
  // True when it is over.
  bool on_reply(const Reply& reply, Time now, Random& random);
  void on_timer(Time now, Random& random, Outbox& out);
  std::optional<Time> wake() const;
  // Does the node give nothing to anybody, as far as this client has heard?
  bool lasts() const { return opens_.has_value(); }
  // Is there nothing to wait for?
  bool idle() const { return !opens_ && !asked_; }
  // When it is over at the latest, if that is known.
  std::optional<Time> over_by() const { return may_open() ? std::optional(due_) : std::nullopt; }

 private:
  struct Asked {
    RequestId id{};
    OpenRequest request;
    Time ends_at{};
  };

  // A node without a record of before is not opened for a set that nobody has founded.
  bool may_open() const { return opens_ && (!unknown_ || founding_->done()); }

  Place place_;
  Terms terms_;
  const Founding* founding_;
  std::optional<OpenRequest> opens_{};  // none: no quarantine
  bool unknown_ = false;                // it had no record before
  Time due_{};                          // when to open it
  std::optional<Asked> asked_{};
};

}  // namespace tenure::core
