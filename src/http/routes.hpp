// What the endpoint serves: a table of paths, each with a function that answers. To add a path is one line.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenure::http {

struct Request {
  std::string path{};   // without the query, exactly as it was sent
  std::string query{};  // behind the question mark
  // It showed the token, or none is needed. What a handler serves without it must be fit for everybody.
  bool trusted = true;

  // The server refuses one that cannot be.
  bool can_be_decoded() const;
  // Of "limit=10&after=s-1", decoded. Nothing: it is not there.
  std::optional<std::string> parameter(std::string_view name) const;
};

inline constexpr std::string_view json_type = "application/json";
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

class Routes {
 public:
  enum class For : unsigned char { trusted, everybody };

  Routes& add(std::string path, Handler handler, For whom = For::trusted) {
    routes_.push_back({std::move(path), std::move(handler), whom});
    return *this;
  }

  struct Route {
    std::string path;
    Handler handler;
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
