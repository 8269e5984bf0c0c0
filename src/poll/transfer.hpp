// One HTTP GET by libcurl, of which nothing is seen outside: an easy handle, what it was told and what it got.
#pragma once

#include <curl/curl.h>

#include <array>
#include <memory>
#include <string>

#include "core/base/time.hpp"
#include "poll/runner.hpp"

namespace tenure::poll {

struct FreeEasy {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
using Easy = std::unique_ptr<CURL, FreeEasy>;

class Transfer {
 public:
  // The handle may have been used before: it keeps what it has learnt of TLS. Both outlive it where they are given.
  Transfer(Easy handle, Task task, const HttpPoll& work);
  ~Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  CURL* handle() const { return handle_.get(); }
  PollId id() const { return task_.id; }
  bool may_begin() const { return task_.may_begin(); }

  // What came of it, once libcurl has said how it ended.
  PollEnd finish(CURLcode result);
  PollEnd give_up(PollEnd::How how) const;
  // For the next one. It must be out of its multi handle.
  Easy take_handle();

 private:
  struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };

  static curl_socket_t on_socket(void* transfer, curlsocktype purpose, curl_sockaddr* address);
  static int on_request(void* transfer, char* ip, char* own_ip, int port, int own_port);
  bool is_redirected() const;
  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* transfer);
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* transfer);
  void add_header(const std::string& line);
  void set_up();
  Milliseconds took() const;
  std::string why(CURLcode result, long status) const;

  Easy handle_;
  Task task_;
  const HttpPoll& work_;
  core::Time began_;
  std::unique_ptr<curl_slist, FreeList> headers_;
  std::size_t headers_length_ = 0;
  std::string body_;
  bool too_long_ = false;
  bool may_be_local_;
  std::string local_{};  // whom it was redirected to, and must not
  std::array<char, CURL_ERROR_SIZE> detail_{};
};

// Fit for a header: what is not printable ASCII, and the percent sign, as %NN.
std::string header_value(std::string_view text);

}  // namespace tenure::poll
