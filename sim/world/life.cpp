#include "sim/world/life.hpp"

#include <utility>

namespace tenure::sim {

void Life::begin(Client& client) {
  client_ = &client;
  number_ += 1;
}

void Life::later(Duration delay, std::function<void()> step) {
  schedule_.in(delay, [this, step = std::move(step), number = number_]() mutable {
    if (number != number_) return;
    if (client_->paused()) {
      later(ttl_ / 10, std::move(step));
    } else {
      step();
    }
  });
}

}  // namespace tenure::sim
