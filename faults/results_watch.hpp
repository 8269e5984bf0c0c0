// Looks again and again at the results that instances have stored, and counts where a token went back (B3).
#pragma once

#include <atomic>
#include <string>
#include <thread>

namespace tenure::faults {

class ResultsWatch {
 public:
  // Of the sessions s-1, s-2, … in the Redis behind that socket.
  ResultsWatch(std::string socket_path, std::size_t sessions);

  std::size_t looks() const { return looks_; }
  std::size_t went_back() const { return went_back_; }

 private:
  void run(const std::stop_token& stop);

  std::string socket_path_;
  std::size_t sessions_;
  std::atomic<std::size_t> looks_ = 0;
  std::atomic<std::size_t> went_back_ = 0;
  std::jthread thread_;
};

}  // namespace tenure::faults
