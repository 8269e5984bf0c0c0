// Speaks HTTP to an endpoint as a test likes to: well, badly, slowly, or not at all.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/net/descriptor.hpp"

namespace tenure::test {

struct HttpAnswer {
  int status = 0;  // 0: it was not answered
  std::string head{};
  std::string body{};

  // The value of a header, empty where it is not there. Its name as the endpoint writes it.
  std::string header(const std::string& name) const {
    const auto at = head.find("\r\n" + name + ": ");
    if (at == std::string::npos) return "";
    const auto from = at + name.size() + 4;
    return head.substr(from, head.find("\r\n", from) - from);
  }
};

// One connection to 127.0.0.1.
class HttpClient {
 public:
  struct Options {
    int receive_buffer = 0;  // bytes; 0: as usual
  };
  explicit HttpClient(std::uint16_t port) : HttpClient(port, Options{}) {}
  HttpClient(std::uint16_t port, Options options)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval patience{20, 0};
    setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (options.receive_buffer > 0) {
      setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &options.receive_buffer,
                 sizeof options.receive_buffer);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    if (connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      throw std::runtime_error("nobody listens on port " + std::to_string(port));
    }
  }

  // False: the other side has closed.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // One answer, by its Content-Length; what was there when the other side closed, if that is less.
  HttpAnswer receive(bool has_body = true) {
    HttpAnswer answer;
    while (bytes_.find("\r\n\r\n") == std::string::npos) {
      if (!hear()) return answer;
    }
    const auto end = bytes_.find("\r\n\r\n") + 4;
    answer.head = bytes_.substr(0, end);
    bytes_.erase(0, end);
    answer.status = std::stoi(answer.head.substr(answer.head.find(' ') + 1));
    const std::size_t length = has_body ? std::stoul("0" + answer.header("Content-Length")) : 0;
    while (bytes_.size() < length) {
      if (!hear()) break;
    }
    answer.body = bytes_.substr(0, length);
    bytes_.erase(0, length);
    return answer;
  }

  // What comes up to and including that mark; less, if the other side closes before.
  std::string receive_until(std::string_view mark) {
    while (bytes_.find(mark) == std::string::npos) {
      if (!hear()) return std::exchange(bytes_, "");
    }
    const auto end = bytes_.find(mark) + mark.size();
    std::string text = bytes_.substr(0, end);
    bytes_.erase(0, end);
    return text;
  }

  // Has something come that was not received yet?
  bool answered() const {
    pollfd ready{socket_.get(), POLLIN, 0};
    return !bytes_.empty() || poll(&ready, 1, 0) > 0;
  }

  // Waits until the other side closes; how much came until then. Throws when it does not.
  std::size_t receive_all() {
    while (hear()) {
    }
    return bytes_.size();
  }

  HttpAnswer get(const std::string& path, const std::string& headers = "Host: 127.0.0.1\r\n") {
    return ask("GET", path, headers);
  }
  HttpAnswer ask(const std::string& method, const std::string& path,
                 const std::string& headers = "Host: 127.0.0.1\r\n") {
    send(method + " " + path + " HTTP/1.1\r\n" + headers + "\r\n");
    return receive(method != "HEAD");
  }

 private:
  // False: the other side has closed.
  bool hear() {
    std::array<char, 16'384> block{};
    const auto got = recv(socket_.get(), block.data(), block.size(), 0);
    if (got < 0 && errno == EAGAIN) throw std::runtime_error("no answer, and the connection stays open");
    if (got <= 0) return false;
    bytes_.append(block.data(), static_cast<std::size_t>(got));
    return true;
  }

  runtime::Descriptor socket_;
  std::string bytes_{};
};

}  // namespace tenure::test
