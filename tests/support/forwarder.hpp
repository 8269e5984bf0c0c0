// Passes bytes between its clients and one Unix socket, or port of 127.0.0.1, and stops doing so when a test asks for it: a network
// that fails, or an address behind which another server stands from now on.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "redis/url.hpp"

namespace tenure::test {

class Forwarder {
 public:
  enum class Listens { unix_socket, tcp };

  // The path of a socket, or the number of a port.
  explicit Forwarder(std::string target, Listens listens = Listens::unix_socket);
  ~Forwarder();
  Forwarder(const Forwarder&) = delete;
  Forwarder& operator=(const Forwarder&) = delete;

  redis::Address address() const;
  std::uint16_t port() const { return port_; }  // 0: none

  // Every connection breaks; who connects again gets there.
  void point_at(std::string target);
  // Connections stay, but nothing comes through until mend(), or nothing of what clients send, or of what they
  // are answered. What is held comes late, also when its client has gone meanwhile.
  void hold();
  void hold_requests();
  void hold_replies();
  // Every connection breaks, and what was held is gone; new ones break, too, until mend().
  void cut();
  void mend();
  // From now on every byte goes on its own.
  void split() { piece_ = 1; }
  // All that clients have sent through so far, connection by connection: to be said again by who wants to.
  std::vector<std::string> recorded();

 private:
  enum class State { passes, holds, holds_requests, holds_replies, cut };
  struct Pair {
    int client = -1;
    int server = -1;
    std::size_t record = 0;
  };

  // All that the thread is told to do, it has done when this returns.
  void change(State state);
  bool requests_pass() const { return state_ == State::passes || state_ == State::holds_replies; }
  bool replies_pass() const { return state_ == State::passes || state_ == State::holds_requests; }
  void run();
  void accept_one();
  void break_all();

  std::filesystem::path directory_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  int kick_ = -1;
  std::mutex mutex_;
  std::string target_;
  State state_ = State::passes;
  bool stopping_ = false;
  std::atomic<std::size_t> piece_ = 65536;  // the most bytes that are passed on at once
  std::vector<Pair> pairs_;
  std::vector<std::string> records_;
  std::thread thread_;
};

}  // namespace tenure::test
