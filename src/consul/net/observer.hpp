// Keys that are looked at again and again: Consul tells when they change, so that looks at them ask nothing. What is told is as old
// as one answer of Consul at most, should it fall silent.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "consul/net/talk.hpp"
#include "core/message.hpp"

namespace tenure::consul {

class Observer {
 public:
  // It outlives this.
  explicit Observer(Talk& talk) : talk_(talk) {}

  // What these keys show; nullopt where that has to be asked. Keys that are looked at often are observed from then on.
  std::optional<core::KeyStates> known(const std::vector<std::string>& keys, core::Time now);
  // Nothing is known any more. After all calls have ended.
  void clear() { seen_.clear(); }

 private:
  struct Seen {
    core::Time looked{};
    bool fresh = false;
    core::KeyState state{};
    std::optional<Task<bool>> observing{};
  };

  Task<bool> observe(std::string key, Seen& seen);
  void sweep(core::Time now);

  Talk& talk_;
  std::map<std::string, Seen> seen_{};
};

}  // namespace tenure::consul
