// Who polls the connections, and how that role passes on: the pattern Leader/Followers. Whoever waits for an answer polls
// itself, so that a caller who is alone pays for no other thread's wake-up; callers that come together share one poller.
// The reactor's own thread has the timer, and polls only while nobody waits for what is under way.
#pragma once

#include <list>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "core/base/time.hpp"
#include "runtime/boot_timer.hpp"
#include "runtime/engine/spin.hpp"
#include "runtime/engine/waker.hpp"
#include "runtime/engine/watch_set.hpp"
#include "runtime/net/descriptor.hpp"
#include "runtime/store/connection.hpp"

namespace tenure::runtime {

class Reactor {
 public:
  // What is driven. All of it is called with the mutex locked.
  class Handler {
   public:
    virtual ~Handler() = default;
    // What to poll for.
    virtual std::vector<Awaited> awaited() const = 0;
    // Is that still all of it?
    virtual bool awaits(std::span<const Awaited> polled) const = 0;
    // These are ready, or were when they were polled.
    virtual void on_ready(std::span<const Awaited> ready, core::Time now) = 0;
    virtual void on_timer(core::Time now) = 0;
    // When on_timer is due, if at all. While somebody polls, what comes is read without it.
    virtual std::optional<core::Time> wake(bool polled) const = 0;
    // Must somebody poll, also if nobody waits? What can wait is not a reason: whoever polls next reads it, and the timer sees to
    // it that this is not for long.
    virtual bool busy() const = 0;
    // Is an answer under way?
    virtual bool asked() const = 0;
  };

  // Somebody who waits to be told that it is done. Guarded by the mutex, until its waker has said so.
  class Waiter {
   public:
    bool done() const { return done_; }

   private:
    friend class Reactor;
    Waker waker_{};
    bool done_ = false;
    std::optional<std::list<Waiter*>::iterator> follows_{};  // its place among those who do
  };

  // The mutex, for who changes something. When it is unlocked, the timer is set for what is due, whoever polls polls for what
  // is awaited now, and if nobody does, somebody was called who will. Who was completed is woken then, and does not need the
  // mutex any more.
  class Hold {
   public:
    explicit Hold(Reactor& reactor) : reactor_(reactor), lock_(reactor.mutex_) {}
    ~Hold() { unlock(); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    void lock() {
      if (!lock_) lock_.lock();
    }
    void unlock();

   private:
    friend class Reactor;
    void release();

    Reactor& reactor_;
    std::unique_lock<std::mutex> lock_;
  };

  // The handler is driven from now on. Throws std::system_error where the kernel gives no descriptor or thread.
  // A caller looks for an answer for so long before it sleeps, as far as that helps.
  explicit Reactor(Handler& handler, core::Duration spin = core::Duration::zero());
  // Nobody waits any more.
  ~Reactor();
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  // Polls, or lets somebody else, until there is something to look at: not for much longer than the limit. When the waiter is
  // done the mutex may be locked or not.
  void wait(Hold& hold, Waiter& waiter, std::optional<core::Duration> limit = std::nullopt);
  // It may go. The mutex is unlocked: whoever completed it may be about to wake it.
  void leave(Hold& hold, Waiter& waiter);

  // With the mutex locked: it is done; it has something to look at.
  void complete(Waiter& waiter);
  void nudge(Waiter& waiter);
  // Without: it has something to look at.
  void interrupt(Waiter& waiter);

  // For a loop that is not ours: readable when what is awaited is ready, while that is watched, or what was added is readable.
  int descriptor() const { return watch_.fd(); }
  void add_to_descriptor(int fd) { watch_.add(fd); }
  // With the mutex locked.
  void watch() { watching_ = true; }
  void unwatch();
  // With the mutex locked: reads what has come, without waiting for more. Also while another polls.
  void look();

 private:
  void follow(Hold& hold, Waiter& waiter, std::optional<core::Duration> limit);
  void unfollow(Waiter& waiter);
  void poll(Hold& hold, Waiter& poller, std::optional<core::Duration> limit);
  void serve();
  void follow_changes();
  void pass_on();
  void kick_poller();
  void kick_hidden();
  void arm_timer(bool polled);

  Handler& handler_;
  std::mutex mutex_;
  Waiter* poller_ = nullptr;       // who polls now
  std::vector<Awaited> polled_;    // and for what
  std::list<Waiter*> followers_;   // who waits for the poller to do it
  Waiter* called_ = nullptr;       // which of them was told to poll, and does not yet
  std::vector<Waiter*> finished_;  // to be woken when the mutex is unlocked
  Waiter hidden_;                  // the reactor's own thread, as a poller
  Descriptor kick_;                // ends the poll of a caller
  Descriptor kick_hidden_;         // ends the poll of that thread
  bool hidden_kicked_ = false;     // and it has not noticed yet
  Spin spin_;                      // of callers
  WatchSet watch_;
  bool watching_ = false;
  BootTimer timer_;
  std::optional<core::Time> armed_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace tenure::runtime
