#include "http_client/call.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <string_view>
#include <utility>

#include "http_client/failure.hpp"
#include "runtime/net/connecting.hpp"

namespace tenure::http_client {

namespace {

constexpr std::size_t headers_max = std::size_t{256} << 10;
constexpr std::size_t body_max = std::size_t{16} << 20;

template <class Value>
void put(CURL* easy, CURLoption option, Value value) {
  if (curl_easy_setopt(easy, option, value) == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  const auto from = text.find_first_not_of(blank);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(blank) + 1 - from);
}

std::string lower(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return small;
}

bool names(const std::vector<std::string>& headers, std::string_view name) {
  return std::ranges::any_of(headers, [&](const std::string& line) {
    return line.size() > name.size() && line[name.size()] == ':' &&
           lower(line.substr(0, name.size())) == name;
  });
}

}  // namespace

Call::Call(HttpCallId id, HttpRequest request, const Place& place, core::Time now)
    : id_(id), request_(std::move(request)), place_(place), easy_(curl_easy_init()) {
  if (!easy_) throw std::bad_alloc();
  if (request_.timeout > core::Duration::zero()) deadline_ = now + request_.timeout;
  set_up();
}

Call& Call::of(CURL* handle) {
  Call* call = nullptr;
  curl_easy_getinfo(handle, CURLINFO_PRIVATE, &call);
  return *call;
}

void Call::set_up() {
  CURL* easy = easy_.get();
  place_.set(easy);
  put(easy, CURLOPT_URL, (place_.base + request_.target).c_str());
  put(easy, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
  const bool bears_body = !request_.body.empty() || request_.method == "PUT" || request_.method == "POST";
  if (bears_body) {
    put(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    put(easy, CURLOPT_POSTFIELDS, request_.body.c_str());  // not copied
    // libcurl would wait a second for a server to say that it wants a long body, and call any body a form.
    append(headers_, "Expect:");
    if (!names(request_.headers, "content-type")) append(headers_, "Content-Type:");
  }
  if (!place_.host_header.empty()) append(headers_, place_.host_header);
  for (const auto& line : request_.headers) append(headers_, line);
  if (headers_) put(easy, CURLOPT_HTTPHEADER, headers_.get());
  put(easy, CURLOPT_OPENSOCKETFUNCTION, &Call::on_socket);
  put(easy, CURLOPT_OPENSOCKETDATA, this);
  put(easy, CURLOPT_PREREQFUNCTION, &Call::on_request);
  put(easy, CURLOPT_PREREQDATA, this);
  put(easy, CURLOPT_HEADERFUNCTION, &Call::on_header);
  put(easy, CURLOPT_HEADERDATA, this);
  put(easy, CURLOPT_WRITEFUNCTION, &Call::on_body);
  put(easy, CURLOPT_WRITEDATA, this);
  put(easy, CURLOPT_ERRORBUFFER, detail_.data());
  put(easy, CURLOPT_PRIVATE, this);
}

curl_socket_t Call::on_socket(void* call, curlsocktype /*purpose*/, curl_sockaddr* address) {
  const int socket = ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (socket < 0) {
    static_cast<Call*>(call)->starved_ = errno == EMFILE || errno == ENFILE;
    return CURL_SOCKET_BAD;
  }
  runtime::notice_dead_peer(socket);
  return socket;
}

// Called before the request is sent. Where a connection that had been kept breaks at once, libcurl sends it again by another one:
// it may have been handled all the same, so that only what changes nothing is.
int Call::on_request(void* call, char* /*ip*/, char* /*own_ip*/, int /*port*/, int /*own_port*/) {
  Call& self = *static_cast<Call*>(call);
  const bool again = std::exchange(self.sent_, true);
  return again && self.request_.method != "GET" ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

std::size_t Call::on_header(char* bytes, std::size_t size, std::size_t count, void* call) {
  const std::size_t length = size * count;
  return static_cast<Call*>(call)->take_header({bytes, length}) ? length : 0;
}

std::size_t Call::on_body(char* bytes, std::size_t size, std::size_t count, void* call) {
  const std::size_t length = size * count;
  // A different number ends the call, and 0 is what comes of an empty piece.
  return static_cast<Call*>(call)->take_body({bytes, length}) ? length : length + 1;
}

bool Call::take_header(std::string_view line) try {
  headers_length_ += line.size();
  if (headers_length_ > headers_max) {
    too_long_ = true;
    return false;
  }
  // An interim answer, as 100 Continue, has headers of its own.
  if (line.starts_with("HTTP/")) {
    answered_headers_.clear();
    head_is_whole_ = false;
  }
  if (trimmed(line).empty()) head_is_whole_ = true;
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return true;
  std::string& value = answered_headers_[lower(trimmed(line.substr(0, colon)))];
  if (!value.empty()) value += ", ";
  value += trimmed(line.substr(colon + 1));
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

bool Call::take_body(std::string_view bytes) try {
  if (bytes.size() > body_max - body_.size()) {
    too_long_ = true;
    return false;
  }
  body_ += bytes;
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

HttpAnswer Call::answer() const {
  long status = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  return {.status = static_cast<int>(status), .headers = answered_headers_};
}

std::optional<HttpAnswer> Call::take_piece() {
  if (!request_.stream || body_.empty()) return std::nullopt;
  HttpAnswer piece = answer();
  piece.body = std::exchange(body_, {});
  return piece;
}

tl::expected<HttpAnswer, core::Failure> Call::finish(CURLcode result) {
  // Of a connection that ends within the headers libcurl says nothing.
  if (result == CURLE_OK && !head_is_whole_) result = CURLE_PARTIAL_FILE;
  if (result != CURLE_OK) {
    return tl::unexpected(failure_of({.easy = easy_.get(),
                                      .result = result,
                                      .detail = detail_.data(),
                                      .sent = sent_,
                                      .too_long = too_long_,
                                      .starved = starved_},
                                     place_));
  }
  HttpAnswer whole = answer();
  whole.body = std::move(body_);
  return whole;
}

bool Call::is_http1() const {
  long version = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_HTTP_VERSION, &version);
  return version == CURL_HTTP_VERSION_1_0 || version == CURL_HTTP_VERSION_1_1;
}

}  // namespace tenure::http_client
