// The HTTP endpoint of a command (--http): bound before anything else starts, served by a thread of its own while the command
// does its work. Only reads. docs/http-api.md says what is at which path.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "cli/args/http_args.hpp"
#include "cli/doctor/diagnosis.hpp"
#include "cli/endpoint/pulse.hpp"
#include "cli/exit_code.hpp"
#include "cli/json.hpp"
#include "cli/nodes/node_inspector.hpp"
#include "http/cached.hpp"
#include "http/listener.hpp"
#include "http/routes.hpp"
#include "http/server.hpp"

namespace tenure::cli {

// Those of Endpoint::describe(): /readyz and /api/v1/nodes.
inline constexpr std::size_t usual_looks = 2;

class Endpoint {
 public:
  struct Failed {
    ExitCode code;
    std::string sentence;
  };
  // What a command that stays asks for besides.
  struct Needs {
    std::size_t nodes = 0;        // that it is connected to
    std::size_t descriptors = 0;  // of its own
    // What is looked at at the same time, each over connections of its own to the nodes.
    std::size_t looks = usual_looks;
  };
  // Null where no address is given. Fails as well where there are too few descriptors for all of it. Says a warning when the token
  // is open to others.
  static tl::expected<std::unique_ptr<Endpoint>, Failed> open(const HttpArgs& args, const Needs& needs);

  // Who serves it.
  struct Owner {
    std::string command;
    std::string id;
    std::shared_ptr<const NodeInspector> nodes;
    std::string lock_prefix;  // of the keys that the diagnosis asks for
  };
  // Adds what every command serves: /livez, /readyz, /api/v1/self and /api/v1/nodes. The function adds to the object of
  // /api/v1/self what the command knows of itself; it may be called on several threads, and must not block.
  void describe(Owner owner, std::function<void(Json&)> add_state);
  // Adds /metrics with what the nodes show, for a command without a client. After describe().
  void serve_node_metrics();
  // What else is served. Before the first start().
  http::Routes& routes() { return routes_; }
  // An answer that takes its time. Stays where it is. Once it is served, only handlers may call this.
  template <class Value>
  http::Cached<Value>& cache(std::function<Value()> work, http::Freshness freshness) {
    auto cached = std::make_shared<http::Cached<Value>>(std::move(work), freshness);
    looks_.push_back(cached);
    return *cached;
  }
  // One of these is not needed any more. Once it is served, only handlers may call this.
  void forget(const http::Looks& looks) {
    std::erase_if(looks_, [&](const auto& it) { return it.get() == &looks; });
  }
  // Others that must rest when it does. Before the first start().
  void add_looks(std::shared_ptr<http::Looks> looks) { looks_.push_back(std::move(looks)); }
  // Whose standstill /livez tells.
  Loops& loops() { return loops_; }

  // "http://127.0.0.1:9090/".
  std::string url() const { return "http://" + listener_.address().text() + "/"; }
  // Closed in forked copies of this process, which would keep the port.
  int fd() const { return listener_.fd(); }

  void start();
  // Returns when no thread of it is left, so that this process may be forked; connections wait until it is started again. What is
  // being looked at is given up.
  void rest();

 private:
  Endpoint(http::Listener listener, std::string token);
  http::Response self() const;
  http::Response livez();
  http::Response readyz(const http::Response& all, const http::Request& request) const;

  http::Listener listener_;
  std::string token_;
  std::int64_t started_ms_;
  Owner owner_{};
  using Diagnosed = std::shared_ptr<const Diagnosis>;
  http::Cached<Diagnosed>* diagnosed_ = nullptr;
  std::function<void(Json&)> add_state_{};
  Loops loops_{};
  http::Routes routes_{};
  std::vector<std::shared_ptr<http::Looks>> looks_{};
  std::optional<http::Server> server_{};
};

// Serves for as long as this lives, if there is an endpoint.
class Serving {
 public:
  explicit Serving(Endpoint* endpoint) : endpoint_(endpoint) {
    if (endpoint_ != nullptr) endpoint_->start();
  }
  ~Serving() {
    if (endpoint_ != nullptr) endpoint_->rest();
  }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

 private:
  Endpoint* endpoint_;
};

}  // namespace tenure::cli
