// Work for one thread, handed to it by others, in order; and a time to wake up at. The time is boot time, which goes on
// while the machine sleeps.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "core/base/time.hpp"
#include "runtime/boot_timer.hpp"
#include "runtime/net/descriptor.hpp"

namespace tenure::poll {

class Mailbox {
 public:
  using Letter = std::function<void()>;

  Mailbox();  // throws std::system_error

  void post(Letter letter);
  // Waits for some, at most until then.
  std::vector<Letter> wait(core::Time until);
  // Those that are there.
  std::vector<Letter> take();

 private:
  std::mutex mutex_;
  std::vector<Letter> letters_;
  runtime::Descriptor kick_;
  runtime::BootTimer timer_;
};

}  // namespace tenure::poll
