#include "runtime/net/tls.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/text.hpp"
#include "runtime/net/descriptor.hpp"
#include "runtime/net/tls_text.hpp"

namespace tenure::runtime {

namespace {

using core::Applied;
using core::Failure;
using core::FailureCode;

struct FreeContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using Context = std::unique_ptr<SSL_CTX, FreeContext>;

struct FreeSsl {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};

using Error = std::optional<std::string>;  // nothing: all is well

std::string in_quotes(const std::string& text) { return '"' + core::printable(text, 200) + '"'; }

// OpenSSL does not say why it cannot read a file.
Error unreadable(const std::string& what, const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  int error = file ? 0 : errno;
  if (file && fstat(file.get(), &status) == 0 && S_ISDIR(status.st_mode)) error = EISDIR;
  if (error == 0) return std::nullopt;
  return what + " " + in_quotes(path) + " cannot be read: " + std::generic_category().message(error);
}

// A leading dot would mean any name below it to OpenSSL, and an empty name every name.
bool is_name(std::string_view name) {
  const auto is_fit = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == ':';
  };
  return !name.empty() && name.size() <= 253 && name.front() != '.' && std::ranges::all_of(name, is_fit);
}

// Instead of OpenSSL's own, which would ask on the terminal.
int note_passphrase_wanted(char* /*buffer*/, int /*size*/, int /*writing*/, void* wanted) {
  *static_cast<bool*>(wanted) = true;
  return -1;
}

Error load_ca(SSL_CTX* context, const std::string& file) {
  if (file.empty()) {
    if (SSL_CTX_set_default_verify_paths(context) == 1) return std::nullopt;
    return "the CAs that this system trusts cannot be loaded; give a CA file";
  }
  if (auto error = unreadable("the CA file", file)) return error;
  if (SSL_CTX_load_verify_file(context, file.c_str()) == 1) return std::nullopt;
  return "the CA file " + in_quotes(file) + " holds no certificate in PEM form";
}

Error load_certificate(SSL_CTX* context, const TlsOptions& options) {
  if (options.certificate_file.empty() && options.key_file.empty()) return std::nullopt;
  if (options.key_file.empty()) return "a client certificate is of no use without its key";
  if (options.certificate_file.empty()) return "a key is of no use without its certificate";
  if (auto error = unreadable("the certificate file", options.certificate_file)) return error;
  if (auto error = unreadable("the key file", options.key_file)) return error;
  const std::string key = "the key file " + in_quotes(options.key_file);
  if (SSL_CTX_use_certificate_chain_file(context, options.certificate_file.c_str()) != 1) {
    return "the certificate file " + in_quotes(options.certificate_file) +
           " holds no certificate in PEM form";
  }
  bool passphrase_wanted = false;
  SSL_CTX_set_default_passwd_cb(context, note_passphrase_wanted);
  SSL_CTX_set_default_passwd_cb_userdata(context, &passphrase_wanted);
  const bool loaded = SSL_CTX_use_PrivateKey_file(context, options.key_file.c_str(), SSL_FILETYPE_PEM) == 1;
  SSL_CTX_set_default_passwd_cb_userdata(context, nullptr);
  if (passphrase_wanted) return key + " wants a passphrase; only a key without one can be used";
  const int reason = ERR_GET_REASON(ERR_peek_last_error());
  const bool is_other = reason == X509_R_KEY_VALUES_MISMATCH || reason == X509_R_KEY_TYPE_MISMATCH;
  if (!loaded && !is_other) return key + " holds no private key in PEM form";
  if (!loaded || SSL_CTX_check_private_key(context) != 1) {
    return key + " does not belong to the certificate in " + in_quotes(options.certificate_file);
  }
  return std::nullopt;
}

Error set_up(SSL_CTX* context, const TlsOptions& options) {
  if (!options.server_name.empty() && !is_name(options.server_name)) {
    return "the server name to expect is " + in_quotes(options.server_name) +
           ", which is not a host name or an IP address";
  }
  // The system may ask for more than this, not for less.
  const auto least = SSL_CTX_get_min_proto_version(context);
  if (least < TLS1_2_VERSION) SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (auto error = load_ca(context, options.ca_file)) return error;
  return load_certificate(context, options);
}

// What OpenSSL and the socket tell each other.
struct Line {
  int socket = -1;
  bool heard = false;
  bool plain_text = false;  // the first byte that came was not one of TLS
  bool ended = false;       // by the other side
  int broken = 0;           // the error of a write that cannot be tried again
};

Line& line_of(BIO* bio) { return *static_cast<Line*>(BIO_get_data(bio)); }

int read_socket(BIO* bio, char* buffer, int size) {
  Line& line = line_of(bio);
  BIO_clear_retry_flags(bio);
  const auto got = recv(line.socket, buffer, static_cast<std::size_t>(size), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  if (got == 0) line.ended = true;
  if (got > 0 && !line.heard) {
    line.heard = true;
    line.plain_text = !begins_like_tls({buffer, static_cast<std::size_t>(got)});
  }
  return static_cast<int>(got);
}

// OpenSSL's own would raise SIGPIPE where the other side is gone. A broken connection looks like a full one to
// OpenSSL, so that what came before it broke can still be read: most often the reason.
int write_socket(BIO* bio, const char* bytes, int size) {
  Line& line = line_of(bio);
  BIO_clear_retry_flags(bio);
  const auto sent = ::send(line.socket, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) return static_cast<int>(sent);
  if (errno != EAGAIN && errno != EINTR) line.broken = errno;
  BIO_set_retry_write(bio);
  return -1;
}

long control_socket(BIO* /*bio*/, int command, long /*number*/, void* /*pointer*/) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

BIO* make_bio(Line& line) {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "a socket of Tenure");
    BIO_meth_set_read(made, read_socket);
    BIO_meth_set_write(made, write_socket);
    BIO_meth_set_ctrl(made, control_socket);
    return made;
  }();
  BIO* bio = BIO_new(method);
  BIO_set_data(bio, &line);
  BIO_set_init(bio, 1);
  return bio;
}

bool is_ip_address(const std::string& host) {
  in6_addr ignored{};
  return inet_pton(AF_INET, host.c_str(), &ignored) == 1 || inet_pton(AF_INET6, host.c_str(), &ignored) == 1;
}

// Whose certificate it must be. Server name indication is for names only.
bool expect(SSL* ssl, const std::string& name) {
  X509_VERIFY_PARAM* param = SSL_get0_param(ssl);
  X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (is_ip_address(name)) return X509_VERIFY_PARAM_set1_ip_asc(param, name.c_str()) == 1;
  return is_name(name) && X509_VERIFY_PARAM_set1_host(param, name.c_str(), name.size()) == 1 &&
         SSL_set_tlsext_host_name(ssl, name.c_str()) == 1;
}

int note_certificate_wanted(SSL* /*ssl*/, void* wanted) {
  *static_cast<bool*>(wanted) = true;
  return 1;
}

}  // namespace

struct Tls::State {
  Context context;
  std::string server_name;
  bool has_certificate = false;
};

tl::expected<Tls, std::string> Tls::load(const TlsOptions& options) {
  ERR_clear_error();
  auto state = std::make_shared<State>();
  state->context.reset(SSL_CTX_new(TLS_client_method()));
  state->server_name = options.server_name;
  state->has_certificate = !options.certificate_file.empty();
  if (!state->context) return tl::unexpected(std::string("OpenSSL cannot be set up: ") + openssl_text());
  if (auto error = set_up(state->context.get(), options)) return tl::unexpected(std::move(*error));
  Tls tls;
  tls.state_ = std::move(state);
  return tls;
}

struct TlsSession::State {
  std::shared_ptr<const Tls::State> tls;
  std::string expected_name;
  pid_t pid = getpid();
  Line line{};
  std::unique_ptr<SSL, FreeSsl> ssl;  // none after an error
  bool certificate_wanted = false;
  bool stands = false;
  bool shaking_wants_write = false;
  bool sending_wants_read = false;
  bool receiving_wants_write = false;
  bool half_sent = false;  // a record

  enum class Wants { nothing, to_read, to_write };

  // Of the last operation on it; or why it failed for good.
  tl::expected<Wants, Failure> outcome(int result) {
    const int system_error = errno;
    switch (SSL_get_error(ssl.get(), result)) {
      case SSL_ERROR_NONE:
        return Wants::nothing;
      case SSL_ERROR_WANT_READ:
        return Wants::to_read;
      case SSL_ERROR_WANT_WRITE:
        return Wants::to_write;
      case SSL_ERROR_ZERO_RETURN:
        line.ended = true;
        break;
      default:
        break;
    }
    Failure why = failure(system_error);
    ssl.reset();
    return tl::unexpected(std::move(why));
  }

  // After a write found the connection broken.
  Failure last_words() {
    char byte = 0;
    std::size_t got = 0;
    ERR_clear_error();
    const auto heard = outcome(SSL_peek_ex(ssl.get(), &byte, 1, &got));
    if (!heard) return heard.error();
    Failure why = failure(line.broken);
    ssl.reset();
    return why;
  }

  Failure failure(int system_error) const {
    const TlsTrouble trouble{.error = ERR_peek_error(),
                             .verified = SSL_get_verify_result(ssl.get()),
                             .expected_name = expected_name,
                             .plain_text = line.plain_text,
                             .ended = line.ended,
                             .certificate_wanted = certificate_wanted && !tls->has_certificate};
    if (!stands) {
      // A server that restarts breaks off handshakes, too; it refuses nobody by that.
      const bool no_reason =
          trouble.error == 0 || ERR_GET_REASON(trouble.error) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
      const bool broke_off = trouble.verified == X509_V_OK && !trouble.plain_text && no_reason;
      return {Applied::no, broke_off ? FailureCode::closed : FailureCode::tls,
              handshake_text(trouble, system_error)};
    }
    if (auto text = late_refusal_text(trouble)) return {Applied::perhaps, FailureCode::tls, *text};
    if (trouble.error != 0 && !line.ended) {
      return {Applied::perhaps, FailureCode::protocol, "TLS broke: " + openssl_text()};
    }
    return {Applied::perhaps, FailureCode::closed,
            line.ended ? "the server closed the connection" : "the connection broke"};
  }
};

TlsSession::TlsSession(const Tls& tls, const std::string& host, int socket)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.tls = tls.state_;
  if (!state.tls) return;
  state.expected_name = state.tls->server_name.empty() ? host : state.tls->server_name;
  state.line.socket = socket;
  state.ssl.reset(SSL_new(state.tls->context.get()));
  if (!state.ssl) return;
  SSL* ssl = state.ssl.get();
  BIO* bio = make_bio(state.line);
  SSL_set_bio(ssl, bio, bio);
  SSL_set_connect_state(ssl);
  SSL_set_cert_cb(ssl, note_certificate_wanted, &state.certificate_wanted);
  if (!expect(ssl, state.expected_name)) state.ssl.reset();
}

TlsSession::~TlsSession() {
  if (!state_ || !state_->ssl || !state_->stands || state_->half_sent || getpid() != state_->pid) return;
  ERR_clear_error();
  SSL_shutdown(state_->ssl.get());  // says so, and waits for nothing
}

TlsSession::TlsSession(TlsSession&&) noexcept = default;
TlsSession& TlsSession::operator=(TlsSession&&) noexcept = default;

tl::expected<bool, Failure> TlsSession::shake_hands() {
  if (!state_->ssl) {
    return tl::unexpected(Failure{Applied::no, FailureCode::tls,
                                  state_->tls ? "TLS cannot be set up for this host name"
                                              : "it wants TLS, for which nothing was set up"});
  }
  ERR_clear_error();
  const auto wants = state_->outcome(SSL_do_handshake(state_->ssl.get()));
  if (wants && state_->line.broken != 0) return tl::unexpected(state_->last_words());
  if (!wants) return tl::unexpected(wants.error());
  state_->stands = *wants == State::Wants::nothing;
  state_->shaking_wants_write = *wants == State::Wants::to_write;
  return state_->stands;
}

tl::expected<std::size_t, Failure> TlsSession::send(std::string_view bytes) {
  if (!state_->ssl)
    return tl::unexpected(Failure{Applied::no, FailureCode::closed, "the connection is closed"});
  ERR_clear_error();
  std::size_t sent = 0;
  const auto wants = state_->outcome(SSL_write_ex(state_->ssl.get(), bytes.data(), bytes.size(), &sent));
  if (wants && state_->line.broken != 0) return tl::unexpected(state_->last_words());
  if (!wants) return tl::unexpected(wants.error());
  state_->sending_wants_read = *wants == State::Wants::to_read;
  state_->half_sent = *wants != State::Wants::nothing;
  return sent;
}

tl::expected<std::size_t, Failure> TlsSession::receive(std::span<char> buffer) {
  if (!state_->ssl)
    return tl::unexpected(Failure{Applied::no, FailureCode::closed, "the connection is closed"});
  ERR_clear_error();
  std::size_t got = 0;
  const auto wants = state_->outcome(SSL_read_ex(state_->ssl.get(), buffer.data(), buffer.size(), &got));
  if (wants && state_->line.broken != 0) return tl::unexpected(state_->last_words());
  if (!wants) return tl::unexpected(wants.error());
  // What a send has waited for may just have come.
  state_->sending_wants_read = false;
  state_->receiving_wants_write = *wants == State::Wants::to_write;
  return got;
}

bool TlsSession::buffered() const { return state_->ssl && SSL_pending(state_->ssl.get()) > 0; }

bool TlsSession::stirred() {
  if (!state_->ssl) return true;
  ERR_clear_error();
  char byte = 0;
  std::size_t got = 0;
  // Takes in what TLS says for itself, session tickets and new keys.
  const auto wants = state_->outcome(SSL_peek_ex(state_->ssl.get(), &byte, 1, &got));
  return !wants || state_->line.broken != 0 || got > 0;
}

short TlsSession::events_to_shake_hands() const { return state_->shaking_wants_write ? POLLOUT : POLLIN; }
short TlsSession::events_to_send() const { return state_->sending_wants_read ? POLLIN : POLLOUT; }
short TlsSession::events_to_receive() const {
  return static_cast<short>(POLLIN | (state_->receiving_wants_write ? POLLOUT : 0));
}

}  // namespace tenure::runtime
