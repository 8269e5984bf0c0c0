// Serves routes on a listener, HTTP/1.1 and only reads, by one thread and within bounds: so many connections, so large a request, so
// long until it is complete, so long until its answer is taken. Whoever exceeds one of them is cut off, and nobody else notices.
// It does not promise an answer to everybody: where all connections are being answered, further ones are turned away.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "http/access.hpp"
#include "http/listener.hpp"
#include "http/routes.hpp"

namespace tenure::http {

struct Limits {
  std::size_t connections = 128;  // the oldest that is owed no answer makes room for a new one
  std::size_t streams = 64;       // of these, at most so many; they make no room
  std::size_t head_bytes = 8'192;
  std::chrono::milliseconds request{
      10'000};  // from the connection, or the last answer, to a complete request
  std::chrono::milliseconds handler{10'000};   // until a handler knows its answer
  std::chrono::milliseconds response{20'000};  // until the answer was taken, all of it
};

class Server {
 public:
  // The listener must outlive it.
  Server(const Listener& listener, Routes routes, Access access, Limits limits = {});
  ~Server();  // stops
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Throws std::system_error where this machine has no thread or descriptor left.
  void start();
  // Cuts all connections off; returns when the thread is gone. Those that come meanwhile wait until it is started again.
  void stop();

 private:
  struct Running;

  const Listener& listener_;
  Routes routes_;
  Access access_;
  Limits limits_;
  std::unique_ptr<Running> running_;
};

}  // namespace tenure::http
