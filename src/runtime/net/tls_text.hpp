// Why TLS failed, in words a person can act on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/net/tls.hpp"

namespace tenure::runtime {

// How an address asks for the one or the other is for the store to say.
inline constexpr std::string_view speaks_plain_text =
    "this port does not speak TLS: it answers in plain text";

// What is known when OpenSSL gives up.
struct TlsTrouble {
  unsigned long error = 0;  // OpenSSL's, 0 where it has none
  long verified = 0;        // what came of the server's certificate
  const std::string& expected_name;
  bool plain_text = false;          // the other side did not speak TLS
  bool ended = false;               // the other side has closed
  bool certificate_wanted = false;  // of us, who have none
};

// Why the handshake failed; `system_error` is an errno, or 0.
std::string handshake_text(const TlsTrouble& trouble, int system_error);

// In TLS 1.3 a server refuses our certificate, or the lack of one, after our side of the handshake was done.
// Nothing when it is not that.
std::optional<std::string> late_refusal_text(const TlsTrouble& trouble);

// OpenSSL's own words for its first error.
std::string openssl_text();
std::string openssl_text(unsigned long error);

// Can a record of TLS begin so? Nothing that a store says in plain text should.
bool begins_like_tls(std::string_view bytes);

}  // namespace tenure::runtime
