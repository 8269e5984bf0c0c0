// A store of results, as the ledger sees it: what it is asked, and what it answers. The store decides whether a result may still
// be stored. It does not decide when it is asked, nor how often.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "poll/schedule.hpp"
#include "tenure/fleet.hpp"

namespace tenure::poll {

// Stores the result of a poll, unless its lease has passed on or a later owner has stored one.
struct Publish {
  std::string session{};
  SessionLease lease{};  // by which it was polled
  std::string text{};    // one line of JSON
  WallTime slot{};       // that the poll was for
  WallTime at{};         // when it ended
};
// Asks for which slot a session was polled last, by anybody.
struct FindSlot {
  std::string session{};
};
using ResultRequest = std::variant<Publish, FindSlot>;

// The answers to Publish.
enum class Published : std::uint8_t {
  stored,
  lease_gone,  // the lease does not show this grant any more
  outdated,    // a later owner has stored a result
};
// The store works, but it cannot keep this result where it belongs.
struct Unstorable {
  std::string why{};
};
// The answer to FindSlot. It has no slot where there is none, or it cannot be read.
struct FoundSlot {
  std::optional<WallTime> slot{};
};
// The store is away, or in trouble: the same request may succeed later.
struct NoAnswer {
  std::string why{};  // a sentence, where there is more to say
};
using ResultReply = std::variant<Published, Unstorable, FoundSlot, NoAnswer>;

class ResultStore {
 public:
  ResultStore() = default;
  virtual ~ResultStore() = default;
  ResultStore(const ResultStore&) = delete;
  ResultStore& operator=(const ResultStore&) = delete;

  // Carries the requests out in their order, and gives one reply for each. Called by one thread at a time; blocks for a few
  // seconds at most.
  virtual std::vector<ResultReply> ask(std::span<const ResultRequest> requests) = 0;
};

}  // namespace tenure::poll
