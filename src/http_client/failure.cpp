#include "http_client/failure.hpp"

#include <openssl/err.h>
#include <openssl/sslerr.h>
#include <openssl/x509_vfy.h>

#include <charconv>
#include <optional>
#include <string>

#include "runtime/net/connecting.hpp"
#include "runtime/net/ready_set.hpp"
#include "runtime/net/tls_text.hpp"

namespace tenure::http_client {

namespace {

using core::Applied;
using core::Failure;
using core::FailureCode;

// libcurl has taken the error out of OpenSSL's queue by then, and tells it as "error:0A000086:…".
unsigned long openssl_error(std::string_view detail) {
  constexpr std::string_view mark = "error:";
  const auto found = detail.find(mark);
  if (found == std::string_view::npos) return 0;
  detail.remove_prefix(found + mark.size());
  unsigned long error = 0;
  std::from_chars(detail.data(), detail.data() + detail.size(), error, 16);
  return error;
}

std::string tls_text(const Trouble& trouble, const Place& place) {
  switch (trouble.result) {
    case CURLE_SSL_CACERT_BADFILE:
      return place.server.ca_file.empty() ? "the CA certificates cannot be read"
                                          : "the CA file " + place.server.ca_file + " cannot be read";
    case CURLE_SSL_CERTPROBLEM:
      return "our client certificate or its key cannot be used: both must be PEM, belong together, and have "
             "no passphrase";
    default:
      break;
  }
  long verified = X509_V_OK;
  if (trouble.result == CURLE_PEER_FAILED_VERIFICATION) {
    curl_easy_getinfo(trouble.easy, CURLINFO_SSL_VERIFYRESULT, &verified);
    // Names are checked by libcurl itself, before it asks OpenSSL what came of the rest.
    if (verified == X509_V_OK || verified == X509_V_ERR_UNSPECIFIED) verified = X509_V_ERR_HOSTNAME_MISMATCH;
  }
  const unsigned long error = openssl_error(trouble.detail);
  const int reason = ERR_GET_REASON(error);
  return runtime::handshake_text(
      {.error = error,
       .verified = verified,
       .expected_name = place.expected_name,
       .plain_text = reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST,
       .ended = error == 0 || reason == SSL_R_UNEXPECTED_EOF_WHILE_READING,
       .certificate_wanted =
           reason == SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE && place.server.certificate.empty()},
      0);
}

Failure not_sent(const Trouble& trouble, const Place& place) {
  const auto unreachable = [](std::string why) {
    return Failure{Applied::no, FailureCode::unreachable, std::move(why)};
  };
  if (trouble.starved) return runtime::no_descriptor();
  switch (trouble.result) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return unreachable("its name cannot be resolved");
    case CURLE_COULDNT_CONNECT: {
      long error = 0;
      curl_easy_getinfo(trouble.easy, CURLINFO_OS_ERRNO, &error);
      return unreachable(error == 0 ? "it cannot be connected to"
                                    : runtime::connect_text(static_cast<int>(error)));
    }
    case CURLE_OPERATION_TIMEDOUT:
      return time_out(false);
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return unreachable("its address is no URL of http or https");
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
      return {Applied::no, FailureCode::tls, tls_text(trouble, place)};
    default:
      return unreachable(std::string("there is no connection to it: ") + curl_easy_strerror(trouble.result));
  }
}

// In TLS 1.3 a server refuses our certificate, or the lack of one, when our side of the handshake is done.
std::optional<std::string> late_refusal(const Trouble& trouble, const Place& place) {
  const unsigned long error = openssl_error(trouble.detail);
  return runtime::late_refusal_text({.error = error, .verified = 0, .expected_name = place.expected_name});
}

}  // namespace

core::Failure time_out(bool sent) {
  if (sent) return core::silence;
  return {Applied::no, FailureCode::timed_out, "no connection in time"};
}

core::Failure failure_of(const Trouble& trouble, const Place& place) {
  if (!trouble.sent) return not_sent(trouble, place);
  if (trouble.too_long) {
    return {Applied::perhaps, FailureCode::protocol, "its answer is longer than is read of any"};
  }
  switch (trouble.result) {
    case CURLE_OPERATION_TIMEDOUT:
      return time_out(true);
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:  // an answer without a status line
    case CURLE_BAD_CONTENT_ENCODING:
      return {Applied::perhaps, FailureCode::protocol, "what it answers is not HTTP"};
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
      if (auto text = late_refusal(trouble, place))
        return {Applied::perhaps, FailureCode::tls, std::move(*text)};
      return {Applied::perhaps, FailureCode::closed, "the connection broke"};
    case CURLE_ABORTED_BY_CALLBACK:  // libcurl would have sent it again: see Call::on_request
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return {Applied::perhaps, FailureCode::closed, "the server closed the connection"};
    case CURLE_OUT_OF_MEMORY:
      return {Applied::perhaps, FailureCode::server, "this machine has no memory left for its answer"};
    default:
      return {Applied::perhaps, FailureCode::protocol,
              std::string("its answer cannot be read: ") + curl_easy_strerror(trouble.result)};
  }
}

}  // namespace tenure::http_client
