// Clients of a real Consul, by the public API.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

#include "consul/net/caller.hpp"
#include "consul/net/place.hpp"
#include "support/stores/consul_server.hpp"
#include "tenure/tenure.hpp"

namespace tenure::test {

inline ClientOptions options_of(const std::string& url, const std::string& id) {
  return {.nodes = {url}, .id = id, .ttl_max = std::chrono::seconds(60)};
}

// Somebody's word that it is new.
inline void init_consul(const ClientOptions& options) {
  const auto place = consul::place_of(options).value();
  ASSERT_TRUE(consul::Caller(place, std::chrono::seconds(10)).init().value());
}

// A prefix of its own on the Consul that all tests share, which is open.
class OnConsul : public testing::Test {
 protected:
  OnConsul() { init_consul(options("init")); }

  ClientOptions options(const std::string& id) const { return options_of(server.url(prefix), id); }
  Client client(const std::string& id) const { return Client::open(options(id)).value(); }
  // All that is under the prefix, as JSON.
  std::string shown() const { return server.request("GET", "/v1/kv/" + prefix + "/?recurse").body; }
  std::string sessions() const { return server.request("GET", "/v1/session/list").body; }
  // How many sessions of that client live.
  std::size_t sessions_of(const std::string& id) const {
    const std::string all = sessions();
    std::size_t count = 0;
    const std::string name = "\"Tenure: " + id + "\"";
    for (auto at = all.find(name); at != std::string::npos; at = all.find(name, at + 1)) count += 1;
    return count;
  }
  std::string session_that_holds(const std::string& name) const {
    const std::string body = server.request("GET", "/v1/kv/" + prefix + "/" + name + "/.lock").body;
    const std::string mark = "\"Session\": \"";
    const auto compact = body.find("\"Session\":");
    if (compact == std::string::npos) return {};
    const auto begin = body.find('"', compact + 10) + 1;
    return body.substr(begin, body.find('"', begin) - begin);
  }

  ConsulServer& server = shared_consul();
  const std::string prefix = server.new_prefix();
};

}  // namespace tenure::test
