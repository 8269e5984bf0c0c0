// Looks again and again at the results that instances have stored, and counts where a token went back (B3).
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>

#include "faults/node.hpp"

namespace tenure::faults {

class ResultsWatch {
 public:
  explicit ResultsWatch(Node::Results results);

  std::size_t looks() const { return looks_; }
  std::size_t went_back() const { return went_back_; }

 private:
  void run(const std::stop_token& stop);

  Node::Results results_;
  std::atomic<std::size_t> looks_ = 0;
  std::atomic<std::size_t> went_back_ = 0;
  std::jthread thread_;
};

}  // namespace tenure::faults
