#include "runtime/engine/completions.hpp"

#include <sys/eventfd.h>

#include <iterator>

#include "runtime/net/event_descriptor.hpp"

namespace tenure::runtime {

Completions::Completions() : event_(make_event_descriptor()) {}

Completions::Queue Completions::take() {
  if (std::exchange(signalled_, false)) {
    eventfd_t count = 0;
    eventfd_read(event_.get(), &count);
  }
  return std::exchange(queue_, {});
}

void Completions::put_back(Queue queue) {
  queue_.insert(queue_.begin(), std::make_move_iterator(queue.begin()), std::make_move_iterator(queue.end()));
}

void Completions::signal() {
  if (!queue_.empty() && !std::exchange(signalled_, true)) eventfd_write(event_.get(), 1);
}

}  // namespace tenure::runtime
