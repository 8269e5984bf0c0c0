// The public API against private servers, for its tests.
#pragma once

#include <gtest/gtest.h>

#include <mutex>

#include "support/nodes.hpp"
#include "support/wait.hpp"
#include "tenure/tenure.hpp"

namespace tenure::test {

inline std::vector<std::string> urls_of(const Nodes& nodes) {
  std::vector<std::string> urls;
  for (const auto& address : nodes.addresses()) urls.push_back(redis::to_text(address));
  return urls;
}

inline ClientOptions options_for(const Nodes& nodes, std::string id = {}) {
  ClientOptions options;
  options.nodes = urls_of(nodes);
  options.id = std::move(id);
  options.ttl_max = nodes.cap();
  return options;
}

inline Client open(const Nodes& nodes, std::string id = {}) {
  return Client::open(options_for(nodes, std::move(id))).value();
}

// Short, but patient with a machine that has much else to do.
inline LockOptions short_lease() {
  using namespace std::chrono_literals;
  return {.ttl = 1s, .grace = 100ms, .node_timeout = 200ms};
}

// Collects what is told, from whichever thread.
template <class Told>
class Record {
 public:
  void add(const Told& told) {
    const std::lock_guard lock(mutex_);
    all_.push_back(told);
  }
  std::vector<Told> all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Told> all_;
};

}  // namespace tenure::test
