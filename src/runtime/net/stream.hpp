// A connection that stands, in plain text or in TLS: bytes out and in, without waiting.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <tl/expected.hpp>

#include "core/message.hpp"
#include "runtime/net/descriptor.hpp"
#include "runtime/net/tls.hpp"

namespace tenure::runtime {

class Stream {
 public:
  // None.
  Stream() = default;
  explicit Stream(Descriptor socket, std::optional<TlsSession> tls = std::nullopt);
  ~Stream() { close(); }
  Stream(Stream&&) noexcept = default;
  Stream& operator=(Stream&& other) noexcept;

  explicit operator bool() const { return static_cast<bool>(socket_); }
  int fd() const { return socket_.get(); }

  // How many bytes have gone, or come; 0: none for now. After an error it is to be closed.
  tl::expected<std::size_t, core::Failure> send(std::string_view bytes);
  tl::expected<std::size_t, core::Failure> receive(std::span<char> buffer);
  // Has it bytes in store, which no poll would tell of?
  bool buffered() const { return tls_ && tls_->buffered(); }
  // Has the other side closed it, or said something, without being asked?
  bool stirred();
  void close();

  // What to poll for before each of them is tried again.
  short events_to_send() const;
  short events_to_receive() const;

 private:
  Descriptor socket_;
  std::optional<TlsSession> tls_;  // says goodbye over the socket, and so goes first
};

}  // namespace tenure::runtime
