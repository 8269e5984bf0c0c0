// What the core wants done, by whoever moves bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "core/base/time.hpp"
#include "core/message.hpp"

namespace tenure::core {

struct Send {
  NodeIndex node = 0;
  RequestId id{};
  Request request;
  Duration answer_within{};  // a Drop follows otherwise
};
// The request got no answer in time. The connection that carries it must never be used again.
struct Drop {
  NodeIndex node = 0;
  RequestId id{};
};

// In this order: what is dropped was sent before, and nothing that is sent now may go down with its connection.
struct Effects {
  std::vector<Drop> drops{};
  std::vector<Send> sends{};
  // Somebody waits: messages on the wake-up channels of all nodes are wanted from now on. Repeated at will.
  bool listen = false;

  bool empty() const { return drops.empty() && sends.empty() && !listen; }
  void clear() {
    drops.clear();
    sends.clear();
    listen = false;
  }
};

// Requests to a node share a connection only if this is the same: one that times out takes its connection down, and
// must not take others with it that would have waited. So what a machine sends for one grant goes over one connection,
// a release behind the acquire that it takes back (T12).
inline int patience_of(Duration answer_within) {
  const auto milliseconds = std::chrono::ceil<Ttl>(answer_within).count();
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(milliseconds)));
}
inline int patience_of(const Send& send) { return patience_of(send.answer_within); }

}  // namespace tenure::core
