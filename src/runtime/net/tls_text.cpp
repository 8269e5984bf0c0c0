#include "runtime/net/tls_text.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <system_error>

#include "core/base/text.hpp"

namespace tenure::runtime {

namespace {

constexpr const char* who_is_trusted = "the CA file names those that are";

std::string certificate_text(const TlsTrouble& trouble) {
  switch (trouble.verified) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "the server's certificate has expired, or that of its CA has";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "the server's certificate is not valid yet: is the clock of this machine right?";
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      return std::string("the server's certificate is self-signed, and not trusted here; ") + who_is_trusted;
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:  // by another CA of that name
      return std::string("the server's certificate is from a CA that is not trusted here; ") + who_is_trusted;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return "the server's certificate is not for " + core::printable(trouble.expected_name) +
             "; if it should be for another, give the server name to expect";
    default:
      return std::string("the server's certificate is refused: ") +
             X509_verify_cert_error_string(trouble.verified);
  }
}

// What the other side says of our certificate, in an alert.
std::optional<std::string> our_certificate_text(const TlsTrouble& trouble) {
  std::string asks = "the server asks for a client certificate";
  const std::string refuses = "the server refuses our certificate: ";
  switch (ERR_GET_REASON(trouble.error)) {
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
      return asks;
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
      if (!trouble.certificate_wanted) return std::nullopt;
      return asks;
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
      return refuses + "it does not trust the CA";
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
      return refuses + "it has expired";
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
      return refuses + openssl_text(trouble.error);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string openssl_text() { return openssl_text(ERR_peek_error()); }

std::string openssl_text(unsigned long error) {
  const char* reason = ERR_reason_error_string(error);
  return reason == nullptr ? "no reason is known" : reason;
}

std::string handshake_text(const TlsTrouble& trouble, int system_error) {
  if (trouble.plain_text) return std::string(speaks_plain_text);
  if (trouble.verified != X509_V_OK) return certificate_text(trouble);
  if (auto text = our_certificate_text(trouble)) return *text;
  switch (ERR_GET_REASON(trouble.error)) {
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
      return "the server speaks no version of TLS that is trusted here (1.2 or later)";
    default:
      break;
  }
  if (trouble.ended)
    return "the server closed the connection in the TLS handshake: does this port speak TLS?";
  if (trouble.error != 0) return "the TLS handshake failed: " + openssl_text(trouble.error);
  return "the connection broke in the TLS handshake: " + std::generic_category().message(system_error);
}

std::optional<std::string> late_refusal_text(const TlsTrouble& trouble) {
  return trouble.error == 0 ? std::nullopt : our_certificate_text(trouble);
}

bool begins_like_tls(std::string_view bytes) {
  // The kinds of records: change of cipher, alert, handshake, data.
  return !bytes.empty() && bytes.front() >= 20 && bytes.front() <= 23;
}

}  // namespace tenure::runtime
