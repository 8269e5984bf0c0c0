// HTTP requests to one server, any number of them under way at once, and polled as one descriptor. libcurl does the rest:
// connections that are kept, TLS, HTTP/2 where the server speaks it. Promises no order between requests.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "core/base/time.hpp"
#include "core/message.hpp"
#include "runtime/store/connection.hpp"

namespace tenure::http_client {

// Where the server is, and how it is to be believed. Does not change; outlives the calls.
struct HttpServer {
  std::string base;           // https://host:port[/path], without a slash at the end
  std::string ca_file{};      // PEM; empty: whom the system trusts
  std::string ca_text{};      // PEM, instead of a file
  std::string certificate{};  // of this client: a file, or PEM where it begins with -----
  std::string key{};          // its key, likewise
  std::string server_name{};  // that the certificate must show; empty: the host of the address
  bool verify = true;
};

struct HttpRequest {
  std::string method;                  // GET, PUT, POST, DELETE
  std::string target;                  // from the slash, with its query: already escaped
  std::vector<std::string> headers{};  // "Name: value"; a token goes here, and is never logged
  std::string body{};
  core::Duration timeout{};  // for all of it; zero: as long as it takes
  bool stream = false;       // its answer is told in pieces, as they come
};

struct HttpAnswer {
  int status = 0;
  std::map<std::string, std::string> headers{};  // by name in lower case
  std::string body{};
};

enum class HttpCallId : std::uint64_t {};

// What has come of a call.
struct HttpNews {
  HttpCallId id{};
  // Of a stream: what came of its body meanwhile. The call goes on, and is ended by an answer or a failure.
  bool piece = false;
  // A failure says whether the request can have reached the server (Applied).
  tl::expected<HttpAnswer, core::Failure> answer{};
};

// Not safe from several threads.
class HttpCalls {
 public:
  // The server outlives this.
  explicit HttpCalls(const HttpServer& server);
  ~HttpCalls();
  HttpCalls(const HttpCalls&) = delete;
  HttpCalls& operator=(const HttpCalls&) = delete;

  // Begins at once, under an id that no call under way has. What is known at once is told by the next on_ready(), whose descriptor is readable then.
  void start(HttpCallId id, HttpRequest request);
  // Nothing more is told of it. It may have reached the server; its connection is closed, or with HTTP/2, where calls share
  // one, no further call begins on that.
  void cancel(HttpCallId id);
  // Cancels all, and closes all connections.
  void close();
  void on_ready(std::vector<HttpNews>& news);

  // Something to poll for as long as a call is under way. Where it is busy without a descriptor, because this machine had none
  // left, on_ready() tells that at once.
  runtime::Awaited awaited() const;
  bool busy() const;

 private:
  struct Machinery;
  std::unique_ptr<Machinery> machinery_;
};

// %XX for all that is neither a letter, a digit nor one of -._~.
std::string url_escaped(std::string_view text);

}  // namespace tenure::http_client
