// The index of sessions as one reader knows it: an unchanged one costs one small call, a changed one what has changed.
// Only `tenure sessions` keeps the index: a key that was written without it is not in there.
#pragma once

#include <map>
#include <string>
#include <tl/expected.hpp>

#include "redis/poll/session_reading.hpp"

namespace tenure::redis {

class SessionIndex {
 public:
  SessionIndex(SessionKeys keys, poll::Addresses addresses);

  // Brings what is known up to date.
  tl::expected<void, core::Failure> update(Caller& redis);
  // What is known may be that of another life of the server: the next update compares all of it.
  void distrust() { version_.clear(); }

  struct Known {
    double version = 0;  // of its last change
    ReadSession session{};
  };
  const std::map<std::string, Known>& known() const { return known_; }

 private:
  using Versions = std::map<std::string, double>;

  // Nothing where so many have changed, or some were removed, that all must be compared.
  tl::expected<std::optional<Versions>, core::Failure> changes(Caller& redis, const std::string& now) const;
  static tl::expected<Versions, core::Failure> everything(Caller& redis, const std::string& index);
  tl::expected<void, core::Failure> fetch(Caller& redis, const Versions& versions);

  SessionKeys keys_;
  poll::Addresses addresses_;
  std::string version_{};  // of the index, as it is known; empty: not at all
  std::map<std::string, Known> known_{};
};

}  // namespace tenure::redis
