// TLS over a socket that does not block, by OpenSSL, of which nothing is seen outside tls.cpp.
// A server always has to prove that it is the one that was meant: nothing here turns that off.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "core/message.hpp"
#include "tenure/options.hpp"

namespace tenure::runtime {

// As users wish for it.
using TlsOptions = tenure::Tls;

// What all connections of a client have in common, loaded once. Cheap to copy.
class Tls {
 public:
  // None: who needs TLS is refused.
  Tls() = default;
  // The error is a sentence that names the file.
  static tl::expected<Tls, std::string> load(const TlsOptions& options);

 private:
  friend class TlsSession;
  struct State;
  std::shared_ptr<const State> state_{};
};

// TLS on one connection. After an error it is of no more use. Its end tells the other side, unless another
// process than the one that made it lets it go.
class TlsSession {
 public:
  // The socket is connected, and outlives it.
  TlsSession(const Tls& tls, const std::string& host, int socket);
  ~TlsSession();
  TlsSession(TlsSession&&) noexcept;
  TlsSession& operator=(TlsSession&&) noexcept;

  // True when both sides have proved who they are.
  tl::expected<bool, core::Failure> shake_hands();
  // How many bytes have gone, or come; 0: none for now.
  tl::expected<std::size_t, core::Failure> send(std::string_view bytes);
  tl::expected<std::size_t, core::Failure> receive(std::span<char> buffer);
  // Has it bytes in store, which no poll would tell of?
  bool buffered() const;
  // Has the other side closed it, or said something? What TLS says for itself does not count.
  bool stirred();

  // What to poll for before each of them is tried again.
  short events_to_shake_hands() const;
  short events_to_send() const;
  short events_to_receive() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tenure::runtime
