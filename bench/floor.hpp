// What a hand-made program would do: a blocking connection of hiredis, and nothing between it and Redis.
#pragma once

#include <hiredis/hiredis.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tenure::bench {

using Words = std::vector<std::string>;

class Floor {
 public:
  explicit Floor(const std::string& socket) : redis_(redisConnectUnix(socket.c_str())) {
    if (!redis_ || redis_->err != 0) throw std::runtime_error("cannot connect to " + socket);
  }

  void send(const Words& words) {
    pointers_.clear();
    lengths_.clear();
    for (const auto& word : words) {
      pointers_.push_back(word.data());
      lengths_.push_back(word.size());
    }
    redisAppendCommandArgv(redis_.get(), static_cast<int>(words.size()), pointers_.data(), lengths_.data());
  }
  // Before waiting for somebody else, for receive() does it by itself.
  void flush() {
    int done = 0;
    while (done == 0) {
      if (redisBufferWrite(redis_.get(), &done) != REDIS_OK) throw std::runtime_error("cannot write");
    }
  }
  struct Forget {
    void operator()(redisReply* reply) const { freeReplyObject(reply); }
  };
  using Reply = std::unique_ptr<redisReply, Forget>;

  Reply receive() {
    void* reply = nullptr;
    if (redisGetReply(redis_.get(), &reply) != REDIS_OK) throw std::runtime_error("no reply");
    Reply owned(static_cast<redisReply*>(reply));
    if (owned->type == REDIS_REPLY_ERROR) throw std::runtime_error(owned->str);
    return owned;
  }
  Reply call(const Words& words) {
    send(words);
    return receive();
  }

 private:
  struct Close {
    void operator()(redisContext* context) const { redisFree(context); }
  };
  std::unique_ptr<redisContext, Close> redis_;
  std::vector<const char*> pointers_;
  std::vector<std::size_t> lengths_;
};

}  // namespace tenure::bench
