// Calls to the agent, for coroutines to await.
#pragma once

#include <coroutine>
#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "consul/net/task.hpp"
#include "consul/transaction.hpp"
#include "http_client/http_calls.hpp"

namespace tenure::consul {

// Who awaits a call; all calls of one owner end with it.
enum class Owner : std::uint64_t {};

class Talk {
 public:
  using Answer = tl::expected<http_client::HttpAnswer, core::Failure>;

  // Both outlive it. The header has the ACL token; empty: there is none.
  Talk(const http_client::HttpServer& server, const std::string& header) : header_(header), calls_(server) {}

  struct Awaiter {
    Talk& talk;
    Owner owner;
    http_client::HttpRequest request;
    Answer answer{};

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) { talk.begin(*this, handle); }
    Answer await_resume() { return std::move(answer); }
  };
  Awaiter call(Owner owner, std::string method, std::string target, std::string body = {});
  // Its answer, or why there is none. One that only reads.
  Task<tl::expected<TransactionAnswer, core::Failure>> read(Owner owner, const Transaction& transaction);
  Task<tl::expected<TransactionAnswer, core::Failure>> write(Owner owner, const Transaction& transaction);

  // What waits there for an answer is resumed by nobody any more.
  void cancel(Owner owner);
  void close();
  // Resumes who awaits what has come.
  void on_ready();

  runtime::Awaited awaited() const { return calls_.awaited(); }
  bool busy_without_descriptor() const { return calls_.busy() && calls_.awaited().fd < 0; }
  // What the agent's clock showed with its last answer, in unix milliseconds; 0: it did not say.
  std::int64_t server_ms() const { return server_ms_; }

 private:
  struct Waiting {
    Owner owner;
    Awaiter* awaiter;
    std::coroutine_handle<> handle;
  };
  void begin(Awaiter& awaiter, std::coroutine_handle<> handle);

  const std::string& header_;
  http_client::HttpCalls calls_;
  std::unordered_map<std::uint64_t, Waiting> waiting_{};  // by the id of the call
  std::uint64_t last_ = 0;
  std::int64_t server_ms_ = 0;
};

}  // namespace tenure::consul
