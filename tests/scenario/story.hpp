// Tells the client core what happens, line by line, and writes down what it wants done. Clock, network
// and Redis are the story's: nothing waits, and nothing but the story answers a request.
//
//   acquire NAME ttl=10s [wait=5s|forever] [key=K]   NAME is the caller's handle, and the key unless given
//           [renew= grace= node_timeout= retry=]
//   reply N granted token=7 | held owner=web-3 token=5 left=3s | closed "record"
//   reply N renewed,missing,foreign      per key;  released, missing, foreign for a release
//   fail N refused|closed|timeout|…      refused cannot have taken effect, the others may have
//   cancel NAME · release NAME · forget NAME
//   advance 200ms    the clock moves, on_timer is called whenever it is due
//   suspend 40s      the clock moves and the process does not: whatever the story tells next comes first
//   jump 40s         suspend, and then on_timer, once
//   held NAME · wake · idle              ask
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/tenant.hpp"
#include "words.hpp"

namespace tenure::scenario {

class Story {
 public:
  Story();

  // Tells one line; what came of it. Throws std::invalid_argument at a line that says nothing.
  std::vector<std::string> tell(const std::string& line);

 private:
  // What a caller's handle would know.
  struct Handle {
    core::AcquireId acquire{};
    std::optional<core::LeaseId> lease{};
    core::Time deadline{};
    bool given_back = false;
  };
  class Line;

  void acquire(const Line& line);
  void advance(core::Duration duration);
  void jump(core::Duration duration);
  void take(const core::Actions& actions, const std::string& when = "");
  void note(const core::Action& action);
  void say(std::string text) { told_.push_back(std::move(text)); }

  core::Tenant tenant_;
  core::Time now_{};
  Cast cast_;
  std::map<std::string, Handle> handles_;
  std::string acquiring_;  // whose first request names its grant
  std::vector<std::string> told_;
};

}  // namespace tenure::scenario
