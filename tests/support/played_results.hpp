// A store of results that a test plays: it keeps what it is given, and answers as the test says.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "poll/result_store.hpp"

namespace tenure::test {

class PlayedResults {
 public:
  using Answer = std::function<poll::ResultReply(const poll::Publish&)>;

  // What a test says.
  void be_away(const std::string& why) {
    const std::lock_guard lock(mutex_);
    away_ = poll::NoAnswer{why};
  }
  void be_back() {
    const std::lock_guard lock(mutex_);
    away_.reset();
    answer_ = {};
  }
  // Results are answered so, and not kept, until it is back.
  void answer(Answer answer) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(answer);
  }
  void set_slot(const std::string& session, poll::WallTime slot) {
    const std::lock_guard lock(mutex_);
    slots_[session] = slot;
  }

  // What a test sees.
  std::vector<poll::Publish> stored() const {
    const std::lock_guard lock(mutex_);
    return stored_;
  }
  std::size_t times_asked() const {
    const std::lock_guard lock(mutex_);
    return times_asked_;
  }

  // Must not outlive this.
  std::unique_ptr<poll::ResultStore> store() { return std::make_unique<Store>(*this); }

 private:
  class Store final : public poll::ResultStore {
   public:
    explicit Store(PlayedResults& played) : played_(played) {}
    std::vector<poll::ResultReply> ask(std::span<const poll::ResultRequest> requests) override {
      const std::lock_guard lock(played_.mutex_);
      played_.times_asked_ += 1;
      std::vector<poll::ResultReply> replies;
      for (const auto& request : requests) {
        replies.push_back(played_.away_ ? *played_.away_ : played_.reply(request));
      }
      return replies;
    }

   private:
    PlayedResults& played_;
  };

  poll::ResultReply reply(const poll::ResultRequest& request) {
    return std::visit([this](const auto& it) { return reply_to(it); }, request);
  }
  poll::ResultReply reply_to(const poll::Publish& result) {
    if (answer_) return answer_(result);
    stored_.push_back(result);
    slots_[result.session] = result.slot;
    return poll::Published::stored;
  }
  poll::ResultReply reply_to(const poll::FindSlot& question) {
    const auto found = slots_.find(question.session);
    if (found == slots_.end()) return poll::FoundSlot{};
    return poll::FoundSlot{found->second};
  }

  mutable std::mutex mutex_;
  std::optional<poll::ResultReply> away_;
  Answer answer_;
  std::map<std::string, poll::WallTime> slots_;
  std::vector<poll::Publish> stored_;
  std::size_t times_asked_ = 0;
};

}  // namespace tenure::test
