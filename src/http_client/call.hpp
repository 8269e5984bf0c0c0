// One call: what libcurl is told of it, and what has come of it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "core/base/time.hpp"
#include "http_client/curl.hpp"
#include "http_client/http_calls.hpp"
#include "http_client/place.hpp"

namespace tenure::http_client {

class Call {
 public:
  // The place outlives it. Throws std::bad_alloc.
  Call(HttpCallId id, HttpRequest request, const Place& place, core::Time now);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  HttpCallId id() const { return id_; }
  CURL* handle() const { return easy_.get(); }
  static Call& of(CURL* handle);
  std::optional<core::Time> deadline() const { return deadline_; }
  bool is_stream() const { return request_.stream; }
  // Has a connection been found for it?
  bool sent() const { return sent_; }

  // Of a stream: what has come of its body since the last time; nullopt: nothing.
  std::optional<HttpAnswer> take_piece();
  tl::expected<HttpAnswer, core::Failure> finish(CURLcode result);
  // Is its answer told in HTTP/1? False while there is none.
  bool is_http1() const;

 private:
  void set_up();
  HttpAnswer answer() const;
  bool take_header(std::string_view line);
  bool take_body(std::string_view bytes);

  static curl_socket_t on_socket(void* call, curlsocktype purpose, curl_sockaddr* address);
  static int on_request(void* call, char* ip, char* own_ip, int port, int own_port);
  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* call);
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* call);

  const HttpCallId id_;
  const HttpRequest request_;
  const Place& place_;
  std::optional<core::Time> deadline_{};
  List headers_{};
  std::array<char, CURL_ERROR_SIZE> detail_{};
  bool sent_ = false;
  bool too_long_ = false;
  bool starved_ = false;
  bool head_is_whole_ = false;
  std::size_t headers_length_ = 0;
  std::map<std::string, std::string> answered_headers_{};
  std::string body_{};
  Easy easy_;  // goes first: it speaks of the others
};

}  // namespace tenure::http_client
