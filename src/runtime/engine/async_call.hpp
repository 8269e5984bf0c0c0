// Calls that do not block: each is an object that waits in the engine, and then in the queue of those that have ended, for
// somebody who polls to run it. What a user is told is up to whoever derives from it.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <tl/expected.hpp>

#include "core/notice.hpp"
#include "runtime/engine/calls.hpp"

namespace tenure::runtime {

class Engine;
class Lease;

class AsyncCall {
 public:
  virtual ~AsyncCall() = default;
  AsyncCall() = default;
  AsyncCall(const AsyncCall&) = delete;
  AsyncCall& operator=(const AsyncCall&) = delete;

  // With nothing locked, once, when it has ended. What it throws comes out of Engine::poll().
  virtual void run(const std::shared_ptr<Engine>& engine) = 0;
  // With nothing locked, before: why it waits.
  virtual void tell(const core::Refusal& /*why*/) {}
  // The client is closed before somebody has run it: the lease that it was granted meanwhile.
  virtual std::shared_ptr<LeaseState> give_up() { return nullptr; }

 private:
  friend class Engine;
  std::size_t place_ = 0;  // among those under way
};

class AsyncAcquire : public AsyncCall {
 public:
  void run(const std::shared_ptr<Engine>& engine) final;
  std::shared_ptr<LeaseState> give_up() final;

 protected:
  virtual void done(tl::expected<Lease, core::Refusal> end) = 0;

 private:
  friend class Engine;
  struct Cancel {
    Engine& engine;
    AsyncAcquire& call;
    void operator()() const;
  };

  // Guarded by the engine's mutex.
  Calls::Acquisition end_{};
  std::optional<core::AcquireId> id_{};  // while it is under way
  bool stopped_ = false;                 // before that
  int patience_ = 0;
  std::optional<std::stop_callback<Cancel>> on_stop_{};
};

class AsyncRelease : public AsyncCall {
 public:
  void run(const std::shared_ptr<Engine>&) final { done(end_); }

 protected:
  virtual void done(const core::Released& end) = 0;

 private:
  friend class Engine;
  core::Released end_{};
};

class AsyncExtend : public AsyncCall {
 public:
  void run(const std::shared_ptr<Engine>&) final { done(end_); }

 protected:
  virtual void done(const Calls::Extension& end) = 0;

 private:
  friend class Engine;
  Calls::Extension end_{};
};

}  // namespace tenure::runtime
