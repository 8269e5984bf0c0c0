// People who look at the page of `tenure web`: each keeps an event stream open, and asks for a page of sessions when the nodes
// were looked at, as a browser does.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/http_client.hpp"
#include "tenure/clock.hpp"

namespace tenure::bench {

class Viewers {
 public:
  Viewers(std::size_t count, std::uint16_t port, std::string fleet) : port_(port), fleet_(std::move(fleet)) {
    for (std::size_t i = 0; i < count; ++i) {
      threads_.emplace_back([this](const std::stop_token& stop) {
        try {
          look(stop);
        } catch (const std::exception&) {
          failed_ += 1;
        }
      });
    }
  }

  // How long each answer took, in seconds.
  std::vector<double> answers() const {
    const std::lock_guard lock(mutex_);
    return answers_;
  }
  // Those that were refused, or not answered.
  std::size_t failed() const { return failed_; }

 private:
  void look(const std::stop_token& stop) {
    test::HttpClient stream(port_);
    stream.send("GET /api/v1/events?fleet=" + fleet_ + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    auto last = BootClock::time_point::min();
    while (!stop.stop_requested()) {
      const std::string event = stream.receive_until("\n\n");
      if (event.empty()) throw std::runtime_error("the stream has ended");
      const auto begun = BootClock::now();
      // The page asks at most once a second.
      if (event.find("event: look") == std::string::npos || begun < last + std::chrono::seconds(1)) continue;
      last = begun;
      const auto answer =
          test::HttpClient(port_).get("/api/v1/sessions?fleet=" + fleet_ + "&sort=id&limit=100");
      if (answer.status != 200) throw std::runtime_error("it was refused: " + answer.body);
      const std::lock_guard lock(mutex_);
      answers_.push_back(std::chrono::duration<double>(BootClock::now() - begun).count());
    }
  }

  std::uint16_t port_;
  std::string fleet_;
  mutable std::mutex mutex_;
  std::vector<double> answers_;
  std::atomic<std::size_t> failed_ = 0;
  std::vector<std::jthread> threads_;  // the last: they end first
};

}  // namespace tenure::bench
