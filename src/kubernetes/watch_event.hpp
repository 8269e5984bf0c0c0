// What an API server tells of a watch: one JSON object a line, in pieces as they come.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubernetes/lease.hpp"

namespace tenure::kubernetes {

struct WatchEvent {
  enum class Kind : std::uint8_t {
    changed,  // or new: it is in the lease
    deleted,
    bookmark,  // nothing has happened up to that version
    error,     // the watch is over: what was asked for is too old, as a rule
  };
  Kind kind = Kind::error;
  std::string object{};   // its name
  std::string version{};  // from here the watch could go on
  std::optional<Lease> lease{};
};

// One line. Returns nullopt for what is no event.
std::optional<WatchEvent> read_event(std::string_view line);

// Puts lines together.
class EventLines {
 public:
  // Events are appended. False: it is nothing that an API server says.
  bool take(std::string_view piece, std::vector<WatchEvent>& events);
  void clear() { rest_.clear(); }

 private:
  std::string rest_;
};

}  // namespace tenure::kubernetes
