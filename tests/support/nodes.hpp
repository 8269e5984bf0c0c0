// Private Redis servers that Tenure uses together, each with the record that `tenure init` makes.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/message.hpp"
#include "redis/url.hpp"
#include "support/redis_server.hpp"

namespace tenure::test {

inline constexpr core::Ttl cap_default{60'000};

// Makes the record of a server that is new to Tenure: one of that set. Throws where one exists.
void init(RedisServer& server, core::Ttl cap = cap_default, const std::string& set = "1");

class Nodes {
 public:
  explicit Nodes(std::size_t count, core::Ttl cap = cap_default, const RedisServer::Options& options = {});

  // One for each of these.
  explicit Nodes(const std::vector<RedisServer::Options>& each, core::Ttl cap = cap_default);

  RedisServer& operator[](std::size_t node) { return servers_.at(node); }
  std::size_t size() const { return servers_.size(); }
  core::Ttl cap() const { return cap_; }
  std::string set() const;
  // By that user, where there is one: "name:password".
  std::vector<redis::Address> addresses(std::string_view user_info = {}) const;

  // What each of them shows for a key; empty where there is none.
  std::vector<std::string> values(const std::string& key);
  // Do all of them show this?
  bool all_show(const std::string& key, const std::string& value);
  // Is there no such key anywhere?
  bool none_has(const std::string& key);
  // How many stand in the queue for that lease on most of the nodes: enough to be called. On a node that a
  // waiter does not hear yet it takes no place.
  std::size_t enrolled(const std::string& key);

 private:
  core::Ttl cap_;
  std::deque<RedisServer> servers_;
};

// "open", "quarantined", or nothing where there is no record.
std::string record_state(RedisServer& server);
// Who stands in the queue for that lease, the first one first.
std::vector<std::string> tickets(RedisServer& server, const std::string& key);
// How often the server has run that command.
std::int64_t calls_of(RedisServer& server, const std::string& command);

}  // namespace tenure::test
