// A plain blocking connection to a Redis over its Unix socket, for tests that look at it from outside.
#pragma once

#include <string>
#include <vector>

#include "redis/reader.hpp"

namespace tenure::test {

class RedisConnection {
 public:
  // Throws std::runtime_error when nobody listens there.
  explicit RedisConnection(const std::string& socket_path);
  ~RedisConnection();
  RedisConnection(const RedisConnection&) = delete;
  RedisConnection& operator=(const RedisConnection&) = delete;

  // An error reply is a value like others. Throws when none comes within five seconds.
  redis::Value command(const std::vector<std::string>& args);
  void send(const std::vector<std::string>& args);
  redis::Value receive();
  // Has the server hung up?
  bool closed() const;

 private:
  int socket_ = -1;
  redis::Reader reader_;
};

}  // namespace tenure::test
