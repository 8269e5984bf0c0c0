#include "poll/mailbox.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <utility>

#include "runtime/net/event_descriptor.hpp"

namespace tenure::poll {

Mailbox::Mailbox() : kick_(runtime::make_event_descriptor()) {}

void Mailbox::post(Letter letter) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = letters_.empty();
    letters_.push_back(std::move(letter));
  }
  if (first) eventfd_write(kick_.get(), 1);
}

std::vector<Mailbox::Letter> Mailbox::wait(core::Time until) {
  timer_.set(until);
  std::array<pollfd, 2> waits{{{kick_.get(), POLLIN, 0}, {timer_.fd(), POLLIN, 0}}};
  ::poll(waits.data(), waits.size(), -1);
  timer_.clear();
  return take();
}

std::vector<Mailbox::Letter> Mailbox::take() {
  eventfd_t ignored = 0;
  eventfd_read(kick_.get(), &ignored);
  const std::lock_guard lock(mutex_);
  return std::exchange(letters_, {});
}

}  // namespace tenure::poll
