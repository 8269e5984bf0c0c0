// An HTTP server on 127.0.0.1 that says what a test wants, in TLS where it wants that: each connection on a thread of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/net/descriptor.hpp"
#include "support/certificates.hpp"

namespace tenure::test {

class WebServer {
 public:
  struct Request {
    std::string method{};
    std::string target{};
    std::map<std::string, std::string> headers{};  // by name in lower case
    std::string body{};
    int connection = 0;  // the first is 1
  };

  // By what a handler answers.
  class Guest {
   public:
    virtual ~Guest() = default;
    // False: the other side has gone.
    virtual bool send(std::string_view bytes) = 0;
    // Waits until the other side closes, or the server ends.
    virtual void wait_for_end() = 0;

    bool answer(int status, std::string_view body, std::string_view headers = {});
    // An answer in pieces: its head, each of them, and its end.
    bool begin_pieces();
    bool piece(std::string_view bytes);
    bool end_pieces() { return send("0\r\n\r\n"); }
  };
  // False: the connection is closed.
  using Handler = std::function<bool(const Request& request, Guest& guest)>;

  struct Tls {
    Identity identity{};
    std::string client_ca_file{};  // wants a certificate of this CA
  };

  explicit WebServer(Handler handler);
  WebServer(Handler handler, Tls tls);
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  std::uint16_t port() const { return port_; }
  std::string base() const;
  int connections() const { return connections_; }
  // How many of them the other side has ended, or we.
  int ended() const { return ended_; }

 private:
  struct Context;
  void run();
  void serve(runtime::Descriptor socket, int number);

  Handler handler_;
  std::unique_ptr<Context> context_;  // none: plain text
  runtime::Descriptor listener_;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> connections_ = 0;
  std::atomic<int> ended_ = 0;
  std::mutex mutex_;
  std::vector<int> open_;  // to be shut down at the end
  std::vector<std::thread> guests_;
  std::thread thread_;
};

}  // namespace tenure::test
