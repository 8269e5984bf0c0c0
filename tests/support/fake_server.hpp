// A server on a Unix socket that answers every command with the bytes that a test wants: what a Redis says in
// states that are hard to bring about, and what no Redis would ever say.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "redis/url.hpp"

namespace tenure::test {

class FakeServer {
 public:
  // Nothing: it stays silent.
  using Answer = std::function<std::string(const std::vector<std::string>& command)>;

  explicit FakeServer(Answer answer);
  ~FakeServer();
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  redis::Address address() const;

 private:
  void run();

  Answer answer_;
  std::filesystem::path directory_;
  int listener_ = -1;
  int stop_ = -1;
  std::thread thread_;
};

}  // namespace tenure::test
