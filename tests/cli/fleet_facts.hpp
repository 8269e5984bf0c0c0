// A fleet made by hand in a Redis, as instances would write it, for tests of what shows it.
#pragma once

#include "cli/tenure_program.hpp"
#include "support/redis_server.hpp"

namespace tenure::test {

inline std::string wall_ms(std::int64_t ago = 0) { return std::to_string(std::time(nullptr) * 1000 - ago); }

struct FleetFacts {
  RedisServer& data;

  void instance(const std::string& id, const std::string& status = "ready", int weight = 1) const {
    data.command({"HSET", "poll:nodes", id, "1"});
    data.command({"SET", "poll:node:" + id,
                  R"({"boot":"0123456789abcdef","status":")" + status + R"(","started":)" + wall_ms(180'000) +
                      R"(,"weight":)" + std::to_string(weight) + R"(,"owned":0,"version":1})",
                  "PX", "30000"});
  }
  void session(const std::string& id, const std::string& text = R"({"address":"http://a"})") const {
    data.command({"SET", "session:" + id, text});
  }
  void result(const std::string& id, const std::string& text) const {
    data.command({"HSET", "state:" + id, "token", "17", "by", "web-1#0123456789abcdef#", "result", text});
  }
};

// A lease on one node.
inline void lease(RedisServer& node, const std::string& session, const std::string& owner) {
  node.command({"SET", "poll:lease:" + session, owner + "#0123456789abcdef#17", "PX", "25000"});
}

// The row whose first cell is this.
inline Words row_of(const std::string& text, const std::string& first) {
  for (const auto& row : table(text)) {
    if (!row.empty() && row.front() == first) return row;
  }
  return {};
}

}  // namespace tenure::test
