// Where a machine puts its requests; it remembers which machine is to hear the reply.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/base/check.hpp"
#include "core/effect.hpp"
#include "core/notice.hpp"

namespace tenure::core {

class Action;
class Actions;

// One name that is looked at, to see who holds it.
enum class WatchId : std::uint64_t {};

// Which machine sent a request.
struct Sender {
  enum class Kind : std::uint8_t { acquisition, release, quarantine, clock, keeper, holder_watch, fleet };

  Kind kind = Kind::keeper;
  std::uint64_t id = 0;

  auto operator<=>(const Sender&) const = default;
};

// A request that was sent to a node and that it has not answered yet.
struct Unanswered {
  NodeIndex node = 0;
  RequestId id{};

  bool operator==(const Unanswered&) const = default;
};

// The requests that wait for an answer. A reply to any other request is late or forged, and is
// dropped here (S13).
class Requests {
 public:
  struct Entry {
    Sender sender{};
    NodeIndex node = 0;
  };

  RequestId add(Entry entry) {
    const RequestId id{++last_};
    open_.emplace(id, entry);
    return id;
  }
  std::optional<Entry> take(RequestId id) {
    const auto found = open_.find(id);
    if (found == open_.end()) return std::nullopt;
    const Entry entry = found->second;
    open_.erase(found);
    return entry;
  }
  // Another machine is to hear the reply.
  void hand_over(RequestId id, Sender to) {
    const auto found = open_.find(id);
    must(found != open_.end(), "only a request that waits for an answer is handed over");
    found->second.sender = to;
  }
  bool empty() const { return open_.empty(); }

 private:
  std::unordered_map<RequestId, Entry> open_;
  std::uint64_t last_ = 0;
};

class Outbox {
 public:
  Outbox(Sender sender, Requests& requests, Actions& actions)
      : sender_(sender), requests_(requests), actions_(actions) {}

  RequestId send(NodeIndex node, Request request, Duration answer_within);
  // Its reply is of no interest any more, but the connection is sound.
  void forget(RequestId id) { requests_.take(id); }
  // It got no answer in time.
  void drop(NodeIndex node, RequestId id);
  void tell(Action action);
  // At most so much will be told.
  void make_room(std::size_t actions);

 private:
  Sender sender_;
  Requests& requests_;
  Actions& actions_;
};

}  // namespace tenure::core
