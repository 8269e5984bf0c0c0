// A server that passes commands on to a real Redis and gives its answers, but lies where a test wants it to.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "redis/value.hpp"
#include "support/fake_server.hpp"
#include "support/redis_connection.hpp"
#include "support/redis_server.hpp"

namespace tenure::test {

inline std::string as_bytes(const redis::Value& value) {
  using Kind = redis::Value::Kind;
  switch (value.kind) {
    case Kind::nil:
      return "$-1\r\n";
    case Kind::integer:
      return ":" + std::to_string(value.integer) + "\r\n";
    case Kind::status:
      return "+" + value.text + "\r\n";
    case Kind::error:
      return "-" + value.text + "\r\n";
    case Kind::string:
      return "$" + std::to_string(value.text.size()) + "\r\n" + value.text + "\r\n";
    case Kind::array:
      break;
  }
  std::string bytes = "*" + std::to_string(value.items.size()) + "\r\n";
  for (const auto& item : value.items) bytes += as_bytes(item);
  return bytes;
}

class Impostor {
 public:
  // What it changes about the answer to that command.
  using Lie = std::function<redis::Value(const std::vector<std::string>& command, redis::Value answer)>;

  Impostor(const RedisServer& real, Lie lie)
      : connection_(real.socket_path()), server_([this, lie = std::move(lie)](const auto& command) {
          return as_bytes(lie(command, connection_.command(command)));
        }) {}

  std::string url() const { return "unix://" + server_.address().path; }

 private:
  RedisConnection connection_;
  FakeServer server_;
};

}  // namespace tenure::test
