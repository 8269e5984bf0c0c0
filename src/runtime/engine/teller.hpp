// Tells the user what happens beside the calls: sentences for a log, and events. On a thread of its own, in order, and never
// so that a renewal would have to wait.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/engine/callback_executor.hpp"
#include "tenure/event.hpp"

namespace tenure::runtime {

class Teller {
 public:
  using Log = std::function<void(std::string_view)>;
  using OnEvent = std::function<void(const Event&)>;

  Teller(Log log, OnEvent on_event) : log_(std::move(log)), on_event_(std::move(on_event)) {}

  void log(std::string sentence);
  // Does somebody want events? They are not made for nobody.
  bool wanted() const { return static_cast<bool>(on_event_); }
  void tell(Event event);

 private:
  Log log_;
  OnEvent on_event_;
  CallbackExecutor executor_{1};
};

}  // namespace tenure::runtime
