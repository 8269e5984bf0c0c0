#include "support/web_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <utility>

namespace tenure::test {

namespace {

struct FreeSsl {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* session) const { SSL_free(session); }
};

class Connection : public WebServer::Guest {
 public:
  Connection(int socket, SSL_CTX* context) : socket_(socket), tls_(context ? SSL_new(context) : nullptr) {
    if (tls_) SSL_set_fd(tls_.get(), socket_);
  }

  // Whoever closes a socket with something unread resets the connection, and what it said last, the reason, is lost.
  bool shake_hands() {
    if (!tls_ || SSL_accept(tls_.get()) == 1) return true;
    shutdown(socket_, SHUT_WR);
    std::array<char, 4'096> unread{};
    while (recv(socket_, unread.data(), unread.size(), 0) > 0) {
    }
    return false;
  }

  bool send(std::string_view bytes) override {
    while (!bytes.empty()) {
      const auto sent = tls_ ? SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()))
                             : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  void wait_for_end() override {
    while (hear()) {
    }
  }

  // Nothing: the other side has gone.
  std::optional<WebServer::Request> receive() {
    while (bytes_.find("\r\n\r\n") == std::string::npos) {
      if (!hear()) return std::nullopt;
    }
    WebServer::Request request;
    const auto end = bytes_.find("\r\n\r\n") + 2;
    std::size_t at = bytes_.find("\r\n") + 2;
    const std::string first = bytes_.substr(0, at - 2);
    request.method = first.substr(0, first.find(' '));
    request.target = first.substr(request.method.size() + 1, first.rfind(' ') - request.method.size() - 1);
    while (at < end) {
      const auto line_end = bytes_.find("\r\n", at);
      const std::string line = bytes_.substr(at, line_end - at);
      const auto colon = line.find(": ");
      std::string name = line.substr(0, colon);
      std::ranges::transform(name, name.begin(),
                             [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
      request.headers[name] = colon == std::string::npos ? "" : line.substr(colon + 2);
      at = line_end + 2;
    }
    bytes_.erase(0, end + 2);
    const auto length = request.headers.find("content-length");
    const std::size_t wanted = length == request.headers.end() ? 0 : std::stoul(length->second);
    while (bytes_.size() < wanted) {
      if (!hear()) return std::nullopt;
    }
    request.body = bytes_.substr(0, wanted);
    bytes_.erase(0, wanted);
    return request;
  }

 private:
  bool hear() {
    std::array<char, 16'384> block{};
    const auto got = tls_ ? SSL_read(tls_.get(), block.data(), static_cast<int>(block.size()))
                          : recv(socket_, block.data(), block.size(), 0);
    if (got <= 0) return false;
    bytes_.append(block.data(), static_cast<std::size_t>(got));
    return true;
  }

  int socket_;
  std::unique_ptr<SSL, FreeSsl> tls_;
  std::string bytes_{};
};

void must(bool done, const char* what) {
  if (!done) throw std::runtime_error(std::string("the web server of a test: ") + what);
}

}  // namespace

struct WebServer::Context {
  explicit Context(const Tls& tls) {
    SSL_CTX* it = context.get();
    must(SSL_CTX_use_certificate_file(it, tls.identity.certificate_file.c_str(), SSL_FILETYPE_PEM) == 1,
         "certificate");
    must(SSL_CTX_use_PrivateKey_file(it, tls.identity.key_file.c_str(), SSL_FILETYPE_PEM) == 1, "key");
    if (tls.client_ca_file.empty()) return;
    must(SSL_CTX_load_verify_locations(it, tls.client_ca_file.c_str(), nullptr) == 1, "CA of clients");
    SSL_CTX_set_verify(it, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }

  std::unique_ptr<SSL_CTX, FreeSsl> context{SSL_CTX_new(TLS_server_method())};
};

bool WebServer::Guest::answer(int status, std::string_view body, std::string_view headers) {
  return send("HTTP/1.1 " + std::to_string(status) + " So\r\nContent-Length: " + std::to_string(body.size()) +
              "\r\n" + std::string(headers) + "\r\n" + std::string(body));
}

bool WebServer::Guest::begin_pieces() {
  return send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
}

bool WebServer::Guest::piece(std::string_view bytes) {
  std::array<char, 20> length{};
  std::snprintf(length.data(), length.size(), "%zx\r\n", bytes.size());
  return send(length.data() + std::string(bytes) + "\r\n");
}

WebServer::WebServer(Handler handler) : WebServer(std::move(handler), Tls{}) {}

WebServer::WebServer(Handler handler, Tls tls)
    : handler_(std::move(handler)),
      context_(tls.identity.key_file.empty() ? nullptr : std::make_unique<Context>(tls)),
      listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to who has gone
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  must(bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size) == 0, "bind");
  must(listen(listener_.get(), 100) == 0, "listen");
  must(getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0, "its port");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { run(); });
}

WebServer::~WebServer() {
  stopping_ = true;
  shutdown(listener_.get(), SHUT_RDWR);
  thread_.join();
  {
    const std::lock_guard lock(mutex_);
    for (const int socket : open_) shutdown(socket, SHUT_RDWR);
  }
  for (std::thread& guest : guests_) guest.join();
}

std::string WebServer::base() const {
  return (context_ ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port_);
}

void WebServer::run() {
  while (!stopping_) {
    runtime::Descriptor socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket) continue;
    const int number = ++connections_;
    const std::lock_guard lock(mutex_);
    open_.push_back(socket.get());
    guests_.emplace_back(
        [this, number, guest = std::move(socket)]() mutable { serve(std::move(guest), number); });
  }
}

void WebServer::serve(runtime::Descriptor socket, int number) {
  Connection guest(socket.get(), context_ ? context_->context.get() : nullptr);
  if (guest.shake_hands()) {
    while (auto request = guest.receive()) {
      request->connection = number;
      if (!handler_(*request, guest)) break;
    }
  }
  ++ended_;
  const std::lock_guard lock(mutex_);
  std::erase(open_, socket.get());
  socket.reset();
}

}  // namespace tenure::test
