// How a test speaks to a store: by the port alone, as the engine does. For tests that link the runtime.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/random.hpp"
#include "core/lease/record.hpp"
#include "core/message.hpp"
#include "runtime/store/node.hpp"

namespace tenure::test {

// A client's connection, waited for.
class Asking {
 public:
  explicit Asking(std::shared_ptr<runtime::Node> node) : node_(std::move(node)) {}

  core::Reply ask(core::Request request);
  // Asks, and does not wait.
  core::RequestId begin(core::Request request);
  // What it is answered with; a Failure of this test's own after ten seconds.
  core::Reply end(core::RequestId id);
  // The record that the last admission showed.
  const std::optional<core::Record>& admitted() const { return admitted_; }
  void drop(const core::Failure& why);
  void give_up(core::RequestId id, const core::Failure& why);
  // Hears what comes though nothing was asked, until the other side closes the connection; false if it has not in ten seconds.
  bool hear_the_end();
  bool waiting() const { return connection_->waiting(); }

 private:
  void note(runtime::News& news);

  std::shared_ptr<runtime::Node> node_;
  std::unique_ptr<runtime::Connection> connection_ = node_->connect(0, std::chrono::seconds(10));
  std::uint64_t last_id_ = 0;
  std::optional<core::Record> admitted_{};
  std::vector<runtime::News::Answer> answers_{};
};

// A client's subscription, waited for.
class Hearing {
 public:
  Hearing(std::shared_ptr<runtime::Node> node, std::unique_ptr<runtime::Subscription> subscription);

  // Nothing, if there is none within the time.
  std::optional<runtime::Message> next(core::Duration within = std::chrono::seconds(10));

 private:
  void go_on(core::Duration within);

  std::shared_ptr<runtime::Node> node_;
  std::unique_ptr<runtime::Subscription> subscription_;
  core::Random random_{1};
  std::vector<runtime::Message> messages_{};
};

}  // namespace tenure::test
