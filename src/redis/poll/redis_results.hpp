// Results that are kept in one Redis, each in a hash of its session and told on a channel: a store of results for the ledger.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "poll/result_store.hpp"
#include "redis/net/caller.hpp"

namespace tenure::redis {

class RedisResults final : public poll::ResultStore {
 public:
  struct Place {
    Address address{};
    runtime::Tls tls{};
    std::string state_prefix{};    // of the keys, before the id of the session
    std::string channel_prefix{};  // of the channels, before the id of the session
    bool leases_here = true;       // the leases live on this Redis as well, and are looked at
    core::Duration timeout = std::chrono::seconds(1);  // of connecting, and of each round trip
  };
  explicit RedisResults(Place place);

  // Connects when it is asked, and again when the connection broke.
  std::vector<poll::ResultReply> ask(std::span<const poll::ResultRequest> requests) override;

 private:
  using Replies = std::vector<poll::ResultReply>;

  std::optional<std::string> connect();
  void ask_again(std::span<const poll::ResultRequest> requests, Replies& replies, CallBy by);
  Command command(const poll::ResultRequest& request, CallBy by) const;

  Place place_;
  std::optional<Caller> redis_{};
};

}  // namespace tenure::redis
