// The stores that the contract is stated for, and how a test speaks to one: by the port alone, as the engine does.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/lease/record.hpp"
#include "runtime/store/node.hpp"
#include "runtime/store/store.hpp"

namespace tenure::test {

// One node, new, and open to clients of terms().
class Store {
 public:
  virtual ~Store() = default;
  virtual std::shared_ptr<runtime::Node> node() = 0;
  // One for clients of other terms.
  virtual std::shared_ptr<runtime::Node> node_of(const core::Terms& terms) = 0;
  // As the API knows it.
  virtual std::shared_ptr<const runtime::Store> open() = 0;
  // A prefix and a name of a lock whose key the store needs for itself.
  struct LockName {
    std::string prefix;
    std::string name;
  };
  virtual LockName own_name() = 0;
  // Is started anew, with no data.
  virtual void lose_everything() = 0;
  // Is there no more.
  virtual void go_away() = 0;

  static core::Terms terms() { return {core::Ttl(60'000), "1"}; }
};

struct StoreKind {
  const char* name;
  std::unique_ptr<Store> (*make)();
};
// A new store is a line here.
std::vector<StoreKind> all_stores();

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
  bool waiting() const { return connection_->waiting(); }

 private:
  void note(runtime::News& news);

  std::shared_ptr<runtime::Node> node_;
  std::unique_ptr<runtime::Connection> connection_ = node_->connect(0);
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
