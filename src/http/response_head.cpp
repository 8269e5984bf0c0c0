#include "http/response_head.hpp"

namespace tenure::http {

namespace {

// Nothing is loaded from elsewhere or written into the page, nobody may frame it or keep it, and no other site may read it:
// there is no header that would allow one to (CORS).
constexpr std::string_view always =
    "Cache-Control: no-store\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "X-Content-Type-Options: nosniff\r\n";

std::string_view reason(unsigned status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 413:
      return "Content Too Large";
    case 421:
      return "Misdirected Request";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    default:
      return "Unknown";
  }
}

std::string beginning(unsigned status, std::string_view type) {
  std::string head = "HTTP/1.1 " + std::to_string(status) + " ";
  head.append(reason(status)).append("\r\n").append(always);
  return head.append("Content-Type: ").append(type).append("\r\n");
}

}  // namespace

std::string stream_head() { return beginning(200, events_type) + "Connection: close\r\n\r\n"; }

std::string response_head(const Response& response, bool keep_alive) {
  std::string head = beginning(response.status, response.type);
  head += "Content-Length: " + std::to_string(response.body ? response.body->size() : 0) + "\r\n";
  if (response.status == 401) head += "WWW-Authenticate: Bearer\r\n";
  if (response.status == 405) head += "Allow: GET, HEAD\r\n";
  return head + (keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n");
}

}  // namespace tenure::http
