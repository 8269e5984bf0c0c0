// Requests that need a session at the same time, and wait until one of them has made it.
#pragma once

#include <algorithm>
#include <coroutine>
#include <map>
#include <utility>
#include <vector>

#include "consul/net/talk.hpp"
#include "core/base/time.hpp"

namespace tenure::consul {

class SessionMaker {
 public:
  bool busy(core::Ttl ttl) const { return waiting_.contains(ttl); }

  // While it is made. At its end, also when whoever makes it goes, all who wait are to look again.
  class Turn {
   public:
    Turn(SessionMaker& maker, core::Ttl ttl) : maker_(maker), ttl_(ttl) { maker_.waiting_[ttl_]; }
    ~Turn() {
      auto waiting = std::move(maker_.waiting_.at(ttl_));
      maker_.waiting_.erase(ttl_);
      maker_.ready_.insert(maker_.ready_.end(), waiting.begin(), waiting.end());
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    SessionMaker& maker_;
    core::Ttl ttl_;
  };

  struct Waiting {
    SessionMaker& maker;
    core::Ttl ttl;
    Owner owner;

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) { maker.waiting_[ttl].emplace_back(owner, handle); }
    void await_resume() const noexcept {}
  };

  // Whoever waits there is resumed by nobody any more.
  void cancel(Owner owner) {
    const auto is_its = [owner](const Entry& it) { return it.first == owner; };
    for (auto& [ttl, waiting] : waiting_) std::erase_if(waiting, is_its);
    std::erase_if(ready_, is_its);
  }
  // All coroutines are gone.
  void clear() {
    waiting_.clear();
    ready_.clear();
  }
  // Those whose wait is over go on.
  void go_on() {
    while (!ready_.empty()) {
      const auto handle = ready_.front().second;
      ready_.erase(ready_.begin());
      handle.resume();
    }
  }

 private:
  using Entry = std::pair<Owner, std::coroutine_handle<>>;

  std::map<core::Ttl, std::vector<Entry>> waiting_{};
  std::vector<Entry> ready_{};
};

}  // namespace tenure::consul
