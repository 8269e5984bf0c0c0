// For the files of the engine only: how it changes something that nobody waits for.
#pragma once

#include "runtime/boot_clock.hpp"
#include "runtime/engine/engine.hpp"

namespace tenure::runtime {

template <class Change>
void Engine::change(const Change& change) {
  if (forked()) return;
  const Hold hold(reactor_);
  const core::Time now = boot_now();
  change(now);
  perform(now);
}

}  // namespace tenure::runtime
