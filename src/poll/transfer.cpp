#include "poll/transfer.hpp"

#include <algorithm>
#include <cstdio>
#include <new>
#include <utility>

#include "core/base/text.hpp"
#include "poll/local_address.hpp"
#include "runtime/boot_clock.hpp"

namespace tenure::poll {

namespace {

// Of all answers to one poll, those that redirect too. libcurl keeps them all, for as long as they come.
constexpr std::size_t headers_max = std::size_t{256} << 10;

template <class Value>
void set(CURL* handle, CURLoption option, Value value) {
  if (curl_easy_setopt(handle, option, value) == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
}

}  // namespace

Transfer::Transfer(Easy handle, Task task, const HttpPoll& work)
    : handle_(std::move(handle)),
      task_(std::move(task)),
      work_(work),
      began_(runtime::boot_now()),
      may_be_local_(work.local_redirects) {
  set_up();
}

void Transfer::add_header(const std::string& line) {
  curl_slist* list = headers_.release();
  curl_slist* longer = curl_slist_append(list, line.c_str());
  headers_.reset(longer != nullptr ? longer : list);
  if (longer == nullptr) throw std::bad_alloc();
}

void Transfer::set_up() {
  CURL* easy = handle_.get();
  add_header("X-Tenure-Instance: " + header_value(task_.lease.owner));
  add_header("X-Tenure-Token: " + std::to_string(task_.lease.token));
  add_header("X-Tenure-Session: " + header_value(task_.session.id));
  set(easy, CURLOPT_HTTPHEADER, headers_.get());
  set(easy, CURLOPT_URL, task_.session.address.c_str());
  set(easy, CURLOPT_USERAGENT, "tenure");
  // Also what it redirects to: an address must not make us read files.
  set(easy, CURLOPT_DEFAULT_PROTOCOL, "http");
  set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  set(easy, CURLOPT_FOLLOWLOCATION, 1L);
  set(easy, CURLOPT_MAXREDIRS, static_cast<long>(work_.redirects_max));
  set(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(work_.connect_timeout.count()));
  set(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(work_.timeout.count()));
  set(easy, CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(work_.body_max));
  set(easy, CURLOPT_NOSIGNAL, 1L);
  // Else whoever gives a poll up would wait for its look-up of a name, and all other polls with it.
  set(easy, CURLOPT_QUICK_EXIT, 1L);
  if (!work_.ca_file.empty()) set(easy, CURLOPT_CAINFO, work_.ca_file.c_str());
  set(easy, CURLOPT_OPENSOCKETFUNCTION, &Transfer::on_socket);
  set(easy, CURLOPT_OPENSOCKETDATA, this);
  set(easy, CURLOPT_PREREQFUNCTION, &Transfer::on_request);
  set(easy, CURLOPT_PREREQDATA, this);
  set(easy, CURLOPT_HEADERFUNCTION, &Transfer::on_header);
  set(easy, CURLOPT_HEADERDATA, this);
  set(easy, CURLOPT_WRITEFUNCTION, &Transfer::on_body);
  set(easy, CURLOPT_WRITEDATA, this);
  set(easy, CURLOPT_ERRORBUFFER, detail_.data());
  set(easy, CURLOPT_PRIVATE, this);
}

bool Transfer::is_redirected() const {
  long count = 0;
  curl_easy_getinfo(handle_.get(), CURLINFO_REDIRECT_COUNT, &count);
  return count > 0;
}

// Before a connection is made.
curl_socket_t Transfer::on_socket(void* transfer, curlsocktype /*purpose*/, curl_sockaddr* address) {
  Transfer& self = *static_cast<Transfer*>(transfer);
  if (self.is_redirected() && !self.may_be_local_ && is_local(address->addr)) {
    self.local_ = to_text(address->addr);
    return CURL_SOCKET_BAD;
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// Before a request is sent, also over a connection that was made for another poll.
int Transfer::on_request(void* transfer, char* ip, char* /*own_ip*/, int /*port*/, int /*own_port*/) {
  Transfer& self = *static_cast<Transfer*>(transfer);
  const bool local = is_local(std::string(ip));
  if (!self.is_redirected()) self.may_be_local_ = self.may_be_local_ || local;
  if (!local || self.may_be_local_) return CURL_PREREQFUNC_OK;
  self.local_ = ip;
  return CURL_PREREQFUNC_ABORT;
}

std::size_t Transfer::on_header(char* /*bytes*/, std::size_t size, std::size_t count, void* transfer) {
  Transfer& self = *static_cast<Transfer*>(transfer);
  self.headers_length_ += size * count;
  return self.headers_length_ > headers_max ? 0 : size * count;
}

std::size_t Transfer::on_body(char* bytes, std::size_t size, std::size_t count, void* transfer) {
  Transfer& self = *static_cast<Transfer*>(transfer);
  const std::size_t length = size * count;
  if (length > self.work_.body_max - self.body_.size()) {
    self.too_long_ = true;
    return 0;
  }
  self.body_.append(bytes, length);
  return length;
}

Milliseconds Transfer::took() const { return std::chrono::ceil<Milliseconds>(runtime::boot_now() - began_); }

PollEnd Transfer::give_up(PollEnd::How how) const { return {how, {}, took()}; }

PollEnd Transfer::finish(CURLcode result) {
  long status = 0;
  curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
  PollOutcome outcome;
  outcome.status = static_cast<int>(status);
  outcome.error = why(result, status);
  outcome.ok = outcome.error.empty();
  if (result == CURLE_OK) outcome.body = std::move(body_);
  return {PollEnd::How::finished, std::move(outcome), took()};
}

// libcurl's own sentences name milliseconds, which differ each time; these are the same while the reason is.
std::string Transfer::why(CURLcode result, long status) const {
  if (too_long_ || result == CURLE_FILESIZE_EXCEEDED) {
    return "the body is longer than " + std::to_string(work_.body_max) + " bytes";
  }
  // One of several addresses of a name may have been refused, and another one taken.
  if (!local_.empty() && (result == CURLE_COULDNT_CONNECT || result == CURLE_ABORTED_BY_CALLBACK)) {
    return "it redirects to " + local_ + ", which only this machine can reach; that is not followed";
  }
  if (headers_length_ > headers_max) {
    return "the headers are longer than " + std::to_string(headers_max) + " bytes";
  }
  switch (result) {
    case CURLE_OK:
      return status >= 200 && status <= 299 ? "" : "the answer is HTTP " + std::to_string(status);
    case CURLE_OPERATION_TIMEDOUT: {
      curl_off_t ready = 0;
      curl_easy_getinfo(handle_.get(), CURLINFO_PRETRANSFER_TIME_T, &ready);
      return ready == 0 ? "no connection within " + core::to_text(work_.connect_timeout)
                        : "no whole answer within " + core::to_text(work_.timeout);
    }
    case CURLE_COULDNT_RESOLVE_HOST:
      return "the host name cannot be resolved";
    case CURLE_COULDNT_CONNECT:
      return "the connection is refused, or there is no way to it";
    case CURLE_TOO_MANY_REDIRECTS:
      return "it redirects more than " + std::to_string(work_.redirects_max) + " times";
    case CURLE_UNSUPPORTED_PROTOCOL:
      return "only http and https are polled, and it asks for something else";
    case CURLE_URL_MALFORMAT:
      return "the address is no URL";
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CACERT_BADFILE:
      return "TLS: " + core::printable(detail_.front() != '\0' ? detail_.data() : curl_easy_strerror(result));
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
      return "the connection ended before the answer was there";
    default:
      return std::string("the request failed: ") + curl_easy_strerror(result);
  }
}

Easy Transfer::take_handle() {
  curl_easy_reset(handle_.get());
  return std::move(handle_);
}

std::string header_value(std::string_view text) {
  std::string value;
  for (const char letter : text) {
    if (letter > ' ' && letter < '\x7f' && letter != '%') {
      value += letter;
    } else {
      std::array<char, 4> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "%%%02X",
                    static_cast<unsigned>(static_cast<unsigned char>(letter)));
      value += escaped.data();
    }
  }
  return value;
}

}  // namespace tenure::poll
