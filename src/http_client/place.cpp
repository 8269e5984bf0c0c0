#include "http_client/place.hpp"

#include <string_view>

namespace tenure::http_client {

namespace {

// For as long as it takes to connect to a server that says nothing, where a call has no timeout of its own.
constexpr long connect_seconds = 30;
// A CA that was renewed in its file is believed after that long.
constexpr long ca_cached_seconds = 60;

template <class Value>
void put(CURL* easy, CURLoption option, Value value) {
  if (curl_easy_setopt(easy, option, value) == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
}

// PEM is told from the name of a file by how it begins.
void put_pem(CURL* easy, CURLoption file, CURLoption blob, const std::string& pem) {
  if (pem.empty()) return;
  if (!pem.starts_with("-----")) {
    put(easy, file, pem.c_str());
    return;
  }
  curl_blob text{const_cast<char*>(pem.data()), pem.size(), CURL_BLOB_COPY};
  put(easy, blob, &text);
}

struct Parts {
  std::string scheme;
  std::string host;  // of IPv6 in its brackets
  std::string port;
  std::string path;
};

Parts parts_of(std::string_view base) {
  Parts parts;
  const auto scheme_end = base.find("://");
  if (scheme_end == std::string_view::npos) return parts;
  parts.scheme = base.substr(0, scheme_end);
  base.remove_prefix(scheme_end + 3);
  const auto slash = base.find('/');
  if (slash != std::string_view::npos) parts.path = base.substr(slash);
  base = base.substr(0, slash);
  const auto bracket = base.find(']');
  const auto colon = base.find(':', bracket == std::string_view::npos ? 0 : bracket);
  parts.host = base.substr(0, colon);
  if (colon != std::string_view::npos) parts.port = base.substr(colon);
  return parts;
}

}  // namespace

Place::Place(const HttpServer& at) : server(at), base(at.base) {
  const Parts parts = parts_of(base);
  tls = parts.scheme == "https";
  expected_name = parts.host;
  if (server.server_name.empty() || server.server_name == parts.host) return;
  // libcurl checks for the host of the URL, wherever it connects to.
  expected_name = server.server_name;
  base = parts.scheme + "://" + expected_name + parts.port + parts.path;
  host_header = "Host: " + parts.host + parts.port;
  append(connect_to, "::" + parts.host + parts.port + (parts.port.empty() ? ":" : ""));
}

void Place::set(CURL* easy) const {
  put(easy, CURLOPT_PROTOCOLS_STR, tls ? "https" : "http");
  put(easy, CURLOPT_PROXY, "");  // whatever the environment says
  put(easy, CURLOPT_FOLLOWLOCATION, 0L);
  put(easy, CURLOPT_USERAGENT, "tenure");
  put(easy, CURLOPT_NOSIGNAL, 1L);
  // Else whoever gives a call up would wait for the look-up of its name.
  put(easy, CURLOPT_QUICK_EXIT, 1L);
  put(easy, CURLOPT_CONNECTTIMEOUT, connect_seconds);
  // Without TLS nobody offers HTTP/2, and calls would wait for each other to find that out.
  put(easy, CURLOPT_HTTP_VERSION, static_cast<long>(tls ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  put(easy, CURLOPT_PIPEWAIT, tls ? 1L : 0L);
  if (connect_to) put(easy, CURLOPT_CONNECT_TO, connect_to.get());
  if (!tls) return;
  put(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  put(easy, CURLOPT_SSL_VERIFYPEER, server.verify ? 1L : 0L);
  put(easy, CURLOPT_SSL_VERIFYHOST, server.verify ? 2L : 0L);
  put(easy, CURLOPT_CA_CACHE_TIMEOUT, ca_cached_seconds);
  if (!server.ca_file.empty() || !server.ca_text.empty()) {
    // Else the folder of those whom the system trusts would count as well.
    put(easy, CURLOPT_CAPATH, static_cast<char*>(nullptr));
    if (!server.ca_file.empty()) put(easy, CURLOPT_CAINFO, server.ca_file.c_str());
    put_pem(easy, CURLOPT_CAINFO, CURLOPT_CAINFO_BLOB, server.ca_text);
  }
  put_pem(easy, CURLOPT_SSLCERT, CURLOPT_SSLCERT_BLOB, server.certificate);
  put_pem(easy, CURLOPT_SSLKEY, CURLOPT_SSLKEY_BLOB, server.key);
  // A key under a passphrase is refused: else OpenSSL would ask whoever sits at the terminal for it.
  put(easy, CURLOPT_KEYPASSWD, "");
}

}  // namespace tenure::http_client
