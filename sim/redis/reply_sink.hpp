// Where a simulated command puts its reply: into a value for a client, or onto the stack of a script.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "redis/value.hpp"

namespace tenure::sim {

class ReplySink {
 public:
  virtual void nil() = 0;
  virtual void integer(std::int64_t number) = 0;
  virtual void status(std::string_view text) = 0;
  virtual void string(std::string_view text) = 0;
  virtual void error(std::string_view text) = 0;
  // The next so many replies are its items. No command of ours nests them.
  virtual void array(std::size_t items) = 0;

 protected:
  // Trivial, because Lua's errors jump over sinks without destroying them.
  ~ReplySink() = default;
};

class ValueSink final : public ReplySink {
 public:
  void nil() override { add(redis::Value::nil()); }
  void integer(std::int64_t number) override { add(redis::Value::of(number)); }
  void status(std::string_view text) override { add(redis::Value::status(std::string(text))); }
  void string(std::string_view text) override { add(redis::Value::string(std::string(text))); }
  void error(std::string_view text) override { add(redis::Value::error(std::string(text))); }
  void array(std::size_t items) override {
    value_ = redis::Value::array({});
    value_.items.reserve(items);
  }

  redis::Value take() { return std::move(value_); }

 private:
  void add(redis::Value value) {
    if (value_.kind == redis::Value::Kind::array) {
      value_.items.push_back(std::move(value));
    } else {
      value_ = std::move(value);
    }
  }

  redis::Value value_;
};

}  // namespace tenure::sim
