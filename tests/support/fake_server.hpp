// A server that answers every command with the bytes that a test wants: what a Redis says in states that are hard to
// bring about, and what no Redis would ever say.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "redis/reader.hpp"
#include "redis/url.hpp"
#include "support/said.hpp"

namespace tenure::test {

class FakeServer {
 public:
  // Nothing: it stays silent.
  using Answer = std::function<Said(const std::vector<std::string>& command)>;

  // On a Unix socket of its own.
  explicit FakeServer(Answer answer);
  // On a port of 127.0.0.1, says this to whatever anybody says, be it Redis's language or not.
  explicit FakeServer(Said to_anything);
  ~FakeServer();
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  redis::Address address() const;
  std::uint16_t port() const { return port_; }
  // All that anybody has sent, where it does not care.
  std::string heard() const;

 private:
  struct Guest {
    redis::Reader reader{};
    std::string again{};
    std::size_t said_of_again = 0;
  };

  void run();
  // False: the connection is over.
  bool serve(int fd, Guest& guest);
  bool listen_to(std::string_view bytes, int fd, Guest& guest);
  static bool say(const Said& said, int fd, Guest& guest);
  static bool go_on(int fd, Guest& guest);

  Answer answer_;
  std::filesystem::path directory_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  int stop_ = -1;
  mutable std::mutex mutex_;
  std::string heard_;
  std::thread thread_;
};

}  // namespace tenure::test
