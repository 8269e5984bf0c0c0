#include "faults/results_watch.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/lease/grant.hpp"

namespace tenure::faults {

namespace {

constexpr std::chrono::milliseconds between_looks{250};

}  // namespace

ResultsWatch::ResultsWatch(Node::Results results)
    : results_(std::move(results)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void ResultsWatch::run(const std::stop_token& stop) {
  std::vector<core::Token> last;
  while (!stop.stop_requested()) {
    try {
      const auto now = results_();
      last.resize(now.size());
      for (std::size_t i = 0; i < now.size(); ++i) {
        if (now[i] < last[i]) went_back_ += 1;
        last[i] = std::max(last[i], now[i]);
      }
      looks_ += 1;
    } catch (const std::runtime_error&) {
      std::this_thread::sleep_for(between_looks);  // it was stopped or killed for a while, by us
    }
    std::this_thread::sleep_for(between_looks);
  }
}

}  // namespace tenure::faults
