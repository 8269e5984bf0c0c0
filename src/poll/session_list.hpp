// The sessions as the source and the user of a poller name them: which are to be shared, and which have become bad or good.
// Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tenure/session.hpp"

namespace tenure::poll {

class SessionList {
 public:
  struct News {
    std::vector<BadSession> bad{};    // that were not, or for another reason
    std::vector<std::string> good{};  // that were bad
  };
  News update(Sessions sessions);

  // By hand, for this instance.
  void pause(const std::string& session) { paused_.insert(session); }
  void resume(const std::string& session) { paused_.erase(session); }
  // Until the source has stopped naming it.
  void remove(const std::string& session) { removed_.insert(session); }

  // Those to poll, by their ids.
  std::vector<Session> active() const;

 private:
  std::vector<Session> good_;
  std::map<std::string, std::string> bad_;  // why
  std::set<std::string> paused_;
  std::set<std::string> removed_;
};

}  // namespace tenure::poll
