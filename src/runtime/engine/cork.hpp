// While a thread runs what users do in their handlers, requests are gathered: they leave together when it is through.
#pragma once

#include <utility>

namespace tenure::runtime {

class Reactor;

class Cork {
 public:
  // Of that reactor, on this thread, as long as this lives. Of none: whoever waits in there sends what it asks for.
  explicit Cork(const Reactor* reactor) : outer_(std::exchange(corked_, reactor)) {}
  ~Cork() { corked_ = outer_; }
  Cork(const Cork&) = delete;
  Cork& operator=(const Cork&) = delete;

  static bool of(const Reactor* reactor) { return corked_ == reactor; }

 private:
  static inline thread_local const Reactor* corked_ = nullptr;

  const Reactor* outer_;
};

}  // namespace tenure::runtime
