#include "core/lease/quarantine.hpp"

namespace tenure::core {

namespace {

constexpr Duration answer_within = std::chrono::seconds(1);

}  // namespace

void Quarantine::on_admitted(const Record& record, Time now) {
  if (record.terms != terms_) {  // not ours to open
    opens_.reset();
    return;
  }
  const OpenRequest opens{record.epoch, record.made_ms, place_.part};
  if (record.open) {
    opens_.reset();
  } else if (opens_ != opens) {
    opens_ = opens;
    unknown_ = record.unknown();
    due_ = now + quarantine_length(record.longest);
  }
}

bool Quarantine::on_reply(const Reply& reply, Time now, Random& random) {
  const bool of_this_one = asked_->request == opens_;
  asked_.reset();
  if (std::holds_alternative<Failure>(reply)) {
    if (of_this_one) due_ = now + random.between(answer_within / 2, answer_within);
    return false;
  }
  // Opened; or another one has begun, of which the next admission tells.
  if (of_this_one) opens_.reset();
  return std::holds_alternative<Opened>(reply);
}

void Quarantine::on_timer(Time now, Random& random, Outbox& out) {
  if (asked_) {
    if (now < asked_->ends_at) return;
    out.drop(place_.node, asked_->id);
    on_reply(silence, now, random);
  } else if (may_open() && now >= due_) {
    asked_ = {out.send(place_.node, *opens_, answer_within), *opens_, now + answer_within};
  }
}

std::optional<Time> Quarantine::wake() const {
  if (asked_) return asked_->ends_at;
  return may_open() ? std::optional(due_) : std::nullopt;
}

}  // namespace tenure::core
