// Asynchronous calls that have ended, until somebody polls. Guarded by the engine's mutex.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "runtime/engine/async_call.hpp"
#include "runtime/net/descriptor.hpp"

namespace tenure::runtime {

class Completions {
 public:
  struct Completion {
    std::shared_ptr<AsyncCall> call;
    std::optional<core::Refusal> waits{};  // it has not ended: this is why it waits
  };
  using Queue = std::deque<Completion>;

  Completions();

  // Readable while there is something to take that was put here by somebody who does not take it himself.
  int fd() const { return event_.get(); }
  void put(Completion completion) { queue_.push_back(std::move(completion)); }
  // Takes all of it. What was signalled is heard.
  Queue take();
  // In front of what has come since.
  void put_back(Queue queue);
  // Whoever sleeps for it wakes up, if there is something.
  void signal();
  bool empty() const { return queue_.empty(); }
  Queue& all() { return queue_; }

 private:
  Queue queue_;
  Descriptor event_;
  bool signalled_ = false;
};

}  // namespace tenure::runtime
