#include "runtime/engine/reactor.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>

#include <array>
#include <utility>

#include "runtime/boot_clock.hpp"
#include "runtime/engine/cork.hpp"
#include "runtime/net/event_descriptor.hpp"
#include "runtime/timespec.hpp"

namespace tenure::runtime {

namespace {

void clear(const Descriptor& kick) {
  eventfd_t count = 0;
  eventfd_read(kick.get(), &count);
}

std::vector<Awaited> ready_among(std::span<const Awaited> polled, std::span<const pollfd> fds) {
  std::vector<Awaited> ready;
  ready.reserve(polled.size());
  for (std::size_t i = 0; i < polled.size(); ++i) {
    if (fds[i].revents != 0) ready.push_back(polled[i]);
  }
  return ready;
}

// May this thread run on one core only? Then looking for an answer may keep the server from giving it. Asked each time:
// threads are bound and let go as their owners like, and the question costs less than one look.
bool has_one_core() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  return sched_getaffinity(0, sizeof cores, &cores) == 0 && CPU_COUNT(&cores) == 1;
}

// Looks at them again and again, without sleeping.
bool came_within(std::vector<pollfd>& fds, core::Duration length) {
  const timespec at_once{};
  const core::Time end = boot_now() + length;
  do {
    if (ppoll(fds.data(), fds.size(), &at_once, nullptr) > 0) return true;
  } while (boot_now() < end);
  return false;
}

}  // namespace

Reactor::Reactor(Handler& handler, core::Duration spin)
    : handler_(handler),
      kick_(make_event_descriptor()),
      kick_hidden_(make_event_descriptor()),
      spin_(spin),
      thread_([this] { serve(); }) {}

Reactor::~Reactor() {
  {
    const Hold hold(*this);
    stopping_ = true;
  }
  eventfd_write(kick_hidden_.get(), 1);
  thread_.join();
}

void Reactor::Hold::unlock() {
  if (!lock_) return;
  // Whoever gathers requests does the rest when he is through. The timer is set at once: should that take him long, the
  // reactor's own thread lets them go.
  if (Cork::of(&reactor_)) {
    reactor_.arm_timer(false);
  } else {
    reactor_.follow_changes();
  }
  release();
}

void Reactor::Hold::release() {
  const auto finished = std::exchange(reactor_.finished_, {});
  lock_.unlock();
  for (Waiter* waiter : finished) waiter->waker_.wake(Waker::done);
}

void Reactor::wait(Hold& hold, Waiter& waiter, std::optional<core::Duration> limit) {
  if (poller_ == nullptr) {
    poll(hold, waiter, limit);
  } else {
    follow(hold, waiter, limit);
  }
}

void Reactor::leave(Hold& hold, Waiter& waiter) {
  hold.unlock();
  waiter.waker_.wait_done();
}

// Lets somebody else poll. The mutex is not locked again when the waiter is done.
void Reactor::follow(Hold& hold, Waiter& waiter, std::optional<core::Duration> limit) {
  waiter.follows_ = followers_.insert(followers_.end(), &waiter);
  hold.unlock();
  if (waiter.waker_.wait(limit)) return;
  hold.lock();
  unfollow(waiter);
}

void Reactor::unfollow(Waiter& waiter) {
  if (called_ == &waiter) called_ = nullptr;
  if (!waiter.follows_) return;
  followers_.erase(*waiter.follows_);
  waiter.follows_.reset();
}

void Reactor::poll(Hold& hold, Waiter& poller, std::optional<core::Duration> limit) {
  const bool hidden = &poller == &hidden_;
  poller_ = &poller;
  polled_ = handler_.awaited();
  std::vector<pollfd> fds;
  fds.reserve(polled_.size() + 2);
  fds.push_back({(hidden ? kick_hidden_ : kick_).get(), POLLIN, 0});
  if (hidden) fds.push_back({timer_.fd(), POLLIN, 0});
  const std::size_t first = fds.size();
  for (const Awaited& it : polled_) fds.push_back({it.fd, it.events, 0});

  // The thread that nobody waits for is in no hurry.
  const core::Duration look = hidden || !handler_.asked() ? core::Duration::zero() : spin_.next();
  const bool looks = look > core::Duration::zero() && !has_one_core();

  arm_timer(true);
  hold.release();
  const bool came = looks && came_within(fds, look);
  const timespec timeout = timespec_of(limit.value_or(core::Duration::zero()));
  if (!came) ppoll(fds.data(), fds.size(), limit ? &timeout : nullptr, nullptr);
  hold.lock();
  if (looks) spin_.on_looked(came);

  poller_ = nullptr;
  if (fds[0].revents != 0) clear(hidden ? kick_hidden_ : kick_);
  if (hidden && fds[0].revents != 0) hidden_kicked_ = false;
  handler_.on_ready(ready_among(polled_, std::span(fds).subspan(first)), boot_now());
}

void Reactor::look() {
  const std::vector<Awaited> awaited = handler_.awaited();
  std::vector<pollfd> fds;
  fds.reserve(awaited.size());
  for (const Awaited& it : awaited) fds.push_back({it.fd, it.events, 0});
  const timespec at_once{};
  if (ppoll(fds.data(), fds.size(), &at_once, nullptr) <= 0) return;
  handler_.on_ready(ready_among(awaited, fds), boot_now());
}

void Reactor::serve() {
  Hold hold(*this);
  while (!stopping_) {
    if (poller_ == nullptr && followers_.empty() && handler_.busy()) {
      poll(hold, hidden_, std::nullopt);
    } else {
      hold.unlock();
      std::array<pollfd, 2> fds{{{kick_hidden_.get(), POLLIN, 0}, {timer_.fd(), POLLIN, 0}}};
      ppoll(fds.data(), fds.size(), nullptr, nullptr);
      hold.lock();
      if (fds[0].revents != 0) {
        clear(kick_hidden_);
        hidden_kicked_ = false;
      }
    }
    if (armed_ && boot_now() >= *armed_) {
      timer_.set(std::nullopt);  // also if it has not fired yet: it must not fire unheeded
      armed_.reset();
      // Nobody is silent whose answer only was not read yet.
      look();
      handler_.on_timer(boot_now());
    }
  }
}

// Whoever stops polling leaves the connections to somebody who still waits, or to the reactor's own thread.
void Reactor::pass_on() {
  if (called_ != nullptr) return;
  if (!followers_.empty()) {
    called_ = followers_.front();
    called_->waker_.wake(Waker::look);
  } else if (handler_.busy()) {
    kick_hidden();
  }
}

void Reactor::complete(Waiter& waiter) {
  finished_.push_back(&waiter);
  waiter.done_ = true;
  unfollow(waiter);
  if (poller_ == &waiter) kick_poller();
}

void Reactor::nudge(Waiter& waiter) {
  if (poller_ == &waiter) {
    kick_poller();
  } else {
    waiter.waker_.wake(Waker::look);
  }
}

void Reactor::interrupt(Waiter& waiter) {
  waiter.waker_.wake(Waker::look);
  eventfd_write(kick_.get(), 1);
}

void Reactor::follow_changes() {
  arm_timer(poller_ != nullptr || !followers_.empty());
  if (watching_ && !handler_.awaits(watch_.watched())) watch_.set(handler_.awaited());
  if (poller_ == nullptr) {
    pass_on();
  } else if (!handler_.awaits(polled_)) {
    kick_poller();
  }
}

void Reactor::unwatch() {
  if (std::exchange(watching_, false)) watch_.set({});
}

// Seldom a system call: a timer that fires too early is simply set again.
void Reactor::arm_timer(bool polled) {
  const auto first = handler_.wake(polled);
  if (!first || (armed_ && *armed_ <= *first)) return;
  armed_ = first;
  timer_.set(first);
}

void Reactor::kick_poller() {
  if (poller_ == &hidden_) return kick_hidden();
  eventfd_write(kick_.get(), 1);
}

void Reactor::kick_hidden() {
  if (!std::exchange(hidden_kicked_, true)) eventfd_write(kick_hidden_.get(), 1);
}

}  // namespace tenure::runtime
