// What should be said next to do one thing to one Lease: read it, decide, and write it if nobody else was quicker. Every change says of
// which version it is one, so that the API server refuses it where somebody has changed the Lease meanwhile; then it is read again.
// Pure: answers and moments are given.
#pragma once

#include <string>
#include <variant>

#include "core/message.hpp"
#include "kubernetes/api_call.hpp"
#include "kubernetes/observations.hpp"

namespace tenure::kubernetes {

// To have the name; with the same grant once more, to have it for longer.
struct Take {
  core::Grant grant{};
  core::Duration ttl{};
};
struct Renew {
  core::Grant grant{};
  core::Token token = 0;
  core::Duration ttl{};
};
// As Renew; heals also where nobody has it.
struct PutBack {
  core::Grant grant{};
  core::Token token = 0;
  core::Duration ttl{};
  bool heal = false;
};
struct GiveBack {
  core::Grant grant{};
};
// It has another token from now on.
struct Confirm {
  core::Grant grant{};
  core::Token token = 0;
};
struct Look {};
using Order = std::variant<Take, Renew, PutBack, GiveBack, Confirm, Look>;

// How it ends.
using Outcome = std::variant<core::Granted, core::Held, core::KeyAnswer, core::KeyState, core::Failure>;
using Step = std::variant<ApiCall, Outcome>;

// After the answer that is looked at had been received.
struct Moment {
  core::Time boot{};
  Micros wall{};
};

// Of one client, shared by its tasks.
struct Sight {
  std::string name_space{};
  Observations seen{};
};

class LeaseTask {
 public:
  LeaseTask(std::string object, Order order) : object_(std::move(object)), order_(std::move(order)) {}

  const std::string& object() const { return object_; }
  // How new that was what was last read, where the order is to take it: what has happened since can be watched from there.
  const std::string& read_at() const { return read_at_; }

  Step start(Sight& sight, const Moment& now);
  // To the last call.
  Step on_answer(const ApiAnswer& answer, Sight& sight, const Moment& now);
  // The last call came to nothing. Nothing was changed by those before it.
  Outcome on_failure(const core::Failure& failure) const;

  // The largest token of all that are given for a new object at that moment, whatever was deleted before: it grows with every change
  // of any data of the API server, and is not below its clock in microseconds. The error is a sentence.
  static tl::expected<core::Token, std::string> fresh_token(const std::string& version,
                                                            const std::optional<std::chrono::seconds>& date);

 private:
  // What was read: of a list also how new it is.
  struct Read {
    const Observations::Seen* seen = nullptr;  // null: there is no such object
    std::string version{};
    std::optional<std::chrono::seconds> date{};
  };

  Step read(const Sight& sight);
  Step write(ApiCall call, Outcome then);
  Step replace(const Sight& sight, std::string body, Outcome then);
  Step create(const Sight& sight, std::string body, Outcome then);
  Step on_read(const ApiAnswer& answer, Sight& sight, const Moment& now);
  Step on_written(const ApiAnswer& answer, Sight& sight, const Moment& now);

  Step decide(const Read& read, const Sight& sight, const Moment& now);
  Step decide(const Take& order, const Read& read, const Sight& sight, const Moment& now);
  Step decide(const Renew& order, const Read& read, const Sight& sight, const Moment& now);
  Step decide(const PutBack& order, const Read& read, const Sight& sight, const Moment& now);
  Step decide(const GiveBack& order, const Read& read, const Sight& sight, const Moment& now);
  Step decide(const Confirm& order, const Read& read, const Sight& sight, const Moment& now);
  Step decide(const Look& order, const Read& read, const Sight& sight, const Moment& now);

  std::string object_;
  Order order_;
  ApiCall call_{};  // the last
  Outcome then_{};  // once what was written is there
  std::string read_at_{};
  int written_ = 0;  // how often it was tried
};

// What somebody who looks sees.
core::KeyState key_state(const Observations::Seen& seen, core::Time now);

}  // namespace tenure::kubernetes
