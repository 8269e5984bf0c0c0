// What the endpoint serves: a table of paths, each with a function that answers, a file, or a stream. To add a path is one line.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace tenure::http {

struct Request {
  std::string path{};   // without the query, exactly as it was sent
  std::string query{};  // behind the question mark
  // It showed the token, or none is needed. What a handler serves without it must be fit for everybody.
  bool trusted = true;
  std::string last_event_id{};  // of a stream that broke off, as its reader says; empty: it begins

  // The server refuses one that cannot be.
  bool can_be_decoded() const;
  // Of "limit=10&search=s-1", decoded. Nothing: it is not there.
  std::optional<std::string> parameter(std::string_view name) const;
};

inline constexpr std::string_view json_type = "application/json";
inline constexpr std::string_view events_type = "text/event-stream";
inline constexpr std::string_view text_type = "text/plain; charset=utf-8";

struct Response {
  unsigned status = 200;
  std::string_view type = text_type;  // lives as long as the program
  std::shared_ptr<const std::string> body{};

  bool failed() const { return status >= 400; }

  static Response text(unsigned status, std::string body) {
    return {status, text_type, std::make_shared<const std::string>(std::move(body))};
  }
  static Response json(std::string body, unsigned status = 200) {
    return {status, json_type, std::make_shared<const std::string>(std::move(body))};
  }
};

// Called on the server's thread, so it may not block. Returns nullopt while the answer is not known yet: it is then called again
// a moment later, until it is, or until the server has no more patience.
using Handler = std::function<std::optional<Response>(const Request&)>;

// Events without an end (text/event-stream), for one reader. All calls are made on the server's thread.
class EventStream {
 public:
  virtual ~EventStream() = default;
  // What has happened since the last call, as it goes over the wire; empty: nothing. Must not block. Called again as soon as
  // the reader has taken it, so whoever reads slowly is told of a lot at once, and nothing is kept for it.
  virtual std::string next() = 0;
};
// Begins a stream, or says why there is none.
using StreamHandler = std::function<tl::expected<std::unique_ptr<EventStream>, Response>(const Request&)>;

class Routes {
 public:
  enum class For : unsigned char {
    trusted,
    everybody,  // who names the right host
    anybody,    // whatever they say: it is the same for all, and tells nothing
  };

  Routes& add(std::string path, Handler handler, For whom = For::trusted) {
    routes_.push_back({std::move(path), std::move(handler), {}, whom});
    return *this;
  }
  // A part of a page. The type lives as long as the program.
  Routes& add_file(std::string path, std::string_view type, std::string_view text) {
    Response file{200, type, std::make_shared<const std::string>(text)};
    return add(std::move(path), [file](const Request&) { return file; }, For::anybody);
  }
  Routes& add_stream(std::string path, StreamHandler stream) {
    routes_.push_back({std::move(path), {}, std::move(stream), For::trusted});
    return *this;
  }

  struct Route {
    std::string path;
    Handler handler;
    StreamHandler stream;  // instead of a handler
    For whom;
  };
  // Null where there is none.
  const Route* find(std::string_view path) const;
  // In the order in which they were added.
  const std::vector<Route>& all() const { return routes_; }

 private:
  std::vector<Route> routes_;
};

}  // namespace tenure::http
