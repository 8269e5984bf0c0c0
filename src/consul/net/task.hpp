// A request that takes several calls, written down as the sequence that it is: a coroutine that is suspended while it waits, and
// goes with the object, wherever it waits.
#pragma once

#include <coroutine>
#include <optional>
#include <utility>

namespace tenure::consul {

// Begins when it is started, or awaited by another one.
template <class T>
class [[nodiscard]] Task {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  struct Final {
    bool await_ready() noexcept { return false; }
    std::coroutine_handle<> await_suspend(Handle ended) noexcept {
      const std::coroutine_handle<> waiter = ended.promise().waiter;
      return waiter ? waiter : std::noop_coroutine();
    }
    void await_resume() noexcept {}
  };
  struct promise_type {
    std::optional<T> value{};
    std::coroutine_handle<> waiter{};

    Task get_return_object() { return Task(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    Final final_suspend() noexcept { return {}; }
    void return_value(T it) { value.emplace(std::move(it)); }
    void unhandled_exception() { throw; }
  };

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  void start() { handle_.resume(); }
  bool done() const { return handle_.done(); }
  // Once, when it is done.
  T take() { return std::move(*handle_.promise().value); }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) noexcept {
    handle_.promise().waiter = waiter;
    return handle_;
  }
  T await_resume() { return take(); }

 private:
  explicit Task(Handle handle) : handle_(handle) {}

  Handle handle_;
};

}  // namespace tenure::consul
