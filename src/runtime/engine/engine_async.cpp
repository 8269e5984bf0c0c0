// The engine's part in calls that do not block: they end in a queue, and are run by whoever polls.
#include <utility>

#include "core/base/check.hpp"
#include "runtime/engine/change.hpp"
#include "runtime/engine/cork.hpp"

namespace tenure::runtime {

void AsyncAcquire::run(const std::shared_ptr<Engine>& engine) {
  if (!end_) return done(tl::unexpected(std::move(end_.error())));
  done(Lease(engine, std::move(*end_)));
}

std::shared_ptr<LeaseState> AsyncAcquire::give_up() {
  if (!end_) return nullptr;
  auto lease = std::move(*end_);
  end_ = tl::unexpected(core::Refusal{core::RefusalCode::cancelled});
  return lease;
}

void AsyncAcquire::Cancel::operator()() const { engine.cancel(call); }

void Engine::add(std::shared_ptr<AsyncCall> call) {
  call->place_ = under_way_.size();
  under_way_.push_back(std::move(call));
  reactor_.watch();
}

void Engine::finish(AsyncCall& call) {
  auto ended = std::move(under_way_[call.place_]);
  if (call.place_ + 1 < under_way_.size()) {
    under_way_[call.place_] = std::move(under_way_.back());
    under_way_[call.place_]->place_ = call.place_;
  }
  under_way_.pop_back();
  put({std::move(ended)});
}

// Whoever polls takes it at once, or says so at the end; another must be told.
void Engine::put(Completions::Completion completion) {
  completions_.put(std::move(completion));
  if (!Cork::of(&reactor_)) completions_.signal();
}

void Engine::post(std::shared_ptr<AsyncCall> call) {
  if (forked()) return;
  const Hold hold(reactor_);
  put({std::move(call)});
}

void Engine::async_acquire(std::shared_ptr<AsyncAcquire> call, const std::string& key, AcquireOptions options,
                           const std::stop_token& stop) {
  core::must(!forked(), "a Client is used by the process that made it: make one after fork()");
  core::must(options.timing.ttl >= core::ttl_min && options.timing.ttl <= terms_.cap,
             "a TTL is made by make_timing, within the cap");
  AsyncAcquire& it = *call;
  // Before anything is locked: one that was stopped already is called back here.
  if (stop.stop_possible()) it.on_stop_.emplace(stop, AsyncAcquire::Cancel{*this, it});
  const Hold hold(reactor_);
  it.end_ = tl::unexpected(core::Refusal{core::RefusalCode::cancelled});
  add(std::move(call));
  if (closed_ || it.stopped_) return finish(it);
  Deferred acquisition{
      &it,
      {key, options.timing, options.wait_max, options.retry_delay, options.retries, options.hold_max},
      core::patience_of(options.timing.node_timeout),
      static_cast<bool>(options.on_waiting)};
  if (!leaving_.empty() && leaves_elsewhere(key, acquisition.patience)) {
    deferred_.push_back(std::move(acquisition));
    return;
  }
  const core::Time now = boot_now();
  begin(std::move(acquisition), now);
  perform(now, Pace::relaxed);
}

void Engine::begin(Deferred acquisition, core::Time now) {
  AsyncAcquire* const call = acquisition.call;
  call->patience_ = acquisition.patience;
  call->id_ = agent_.acquire(std::move(acquisition.wish), now);
  Calls::Acquire ends{.began = now};
  ends.done = [this, call](Calls::Acquisition end) {
    if (end) (*end)->patience = static_cast<std::int8_t>(call->patience_);
    call->end_ = std::move(end);
    call->id_.reset();
    finish(*call);
  };
  if (acquisition.tells) {
    ends.waits = [this, call](const core::Refusal& why) { put({under_way_[call->place_], why}); };
  } else {
    ends.waits = [](const core::Refusal&) {};
  }
  calls_.add(*call->id_, std::move(ends));
}

void Engine::begin_deferred(core::Time now) {
  if (deferred_.empty()) return;
  for (Deferred& it : std::exchange(deferred_, {})) {
    if (leaves_elsewhere(it.wish.key, it.patience)) {
      deferred_.push_back(std::move(it));
    } else {
      begin(std::move(it), now);
    }
  }
}

void Engine::cancel(AsyncAcquire& call) {
  change([&](core::Time now) {
    call.stopped_ = true;
    if (call.id_) return agent_.cancel(*call.id_, now);
    if (std::erase_if(deferred_, [&](const Deferred& it) { return it.call == &call; }) > 0) finish(call);
  });
}

void Engine::async_extend(LeaseState& lease, std::shared_ptr<AsyncExtend> call) {
  if (forked()) return;
  const Hold hold(reactor_);
  AsyncExtend& it = *call;
  add(std::move(call));
  if (calls_.extends(lease.id)) {
    extensions_.emplace(lease.id, &it);
    return;
  }
  const core::Time now = boot_now();
  extend(lease, it, now);
  perform(now);
}

void Engine::extend(LeaseState& lease, AsyncExtend& call, core::Time now) {
  if (lease.releasing || !lease.held() || !agent_.extend(lease.id, now)) {
    call.end_ = tl::unexpected(NotExtended{true, "it is held no more"});
    return finish(call);
  }
  calls_.add_extension(lease.id, [this, &call](Calls::Extension end) {
    call.end_ = std::move(end);
    finish(call);
  });
}

void Engine::async_release(LeaseState& lease, std::shared_ptr<AsyncRelease> call) {
  if (forked()) return;
  const Hold hold(reactor_);
  AsyncRelease& it = *call;
  add(std::move(call));
  if (lease.given_back()) {
    it.end_ = *lease.released;
    return finish(it);
  }
  calls_.add(lease.id, [this, &it](const core::Released& released) {
    it.end_ = released;
    finish(it);
  });
  if (lease.releasing) return;
  const core::Time now = boot_now();
  begin_release(lease, now);
  perform(now, Pace::relaxed);
}

// What was granted to a handler that has not run, and will not.
void Engine::give_up_completed(core::Time now) {
  for (const auto& completion : completions_.all()) {
    const auto lease = completion.call->give_up();
    if (!lease) continue;
    const std::string key = agent_.tenant().key_of(lease->id);
    log(log_event::grant_unclaimed, key + " was granted, and its handler has not run: it is given back",
        {{"name", key}, {"token", lease->token}});
    leases_.end(*lease);
    forget(lease->id, now);
  }
}

std::size_t Engine::poll(const std::shared_ptr<Engine>& engine, const std::function<bool()>& goes_on) {
  Engine& it = *engine;
  if (it.forked()) return 0;
  Completions::Queue batch;
  std::size_t count = 0;
  {
    const Hold hold(it.reactor_);
    const Cork cork(&it.reactor_);
    it.reactor_.look();
    batch = it.completions_.take();
    // Woken for what concerns others: that is not watched until there is something to wait for again.
    if (batch.empty() && it.under_way_.empty()) it.reactor_.unwatch();
    // A handler that takes its time holds up what it and those before it have asked for: the timer lets it go.
    if (!batch.empty()) it.look_back_soon(boot_now());
  }
  const Cork cork(&it.reactor_);
  // However the handlers end.
  struct End {
    Engine& engine;
    Completions::Queue& rest;
    ~End() {
      if (engine.forked()) return;  // a child that came out of a handler
      const Cork uncorked(nullptr);
      const Hold hold(engine.reactor_);
      engine.completions_.put_back(std::move(rest));
      engine.perform(boot_now());
      engine.completions_.signal();
    }
  };
  const End end{it, batch};
  while (!batch.empty() && goes_on() && !it.forked()) {
    const Completions::Completion next = std::move(batch.front());
    batch.pop_front();
    if (next.waits) {
      try {
        next.call->tell(*next.waits);
      } catch (...) {  // ends the wait
        it.cancel(static_cast<AsyncAcquire&>(*next.call));
        throw;
      }
    } else {
      count += 1;
      next.call->run(engine);
    }
  }
  return count;
}

}  // namespace tenure::runtime
