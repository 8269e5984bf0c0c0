// Reads the sessions again and again, on a thread of its own: a source may block. Tells only what has changed.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "poll/schedule.hpp"
#include "tenure/session.hpp"

namespace tenure::poll {

class Discovery {
 public:
  using Read = tl::expected<Sessions, std::string>;
  // Called on the thread of this.
  using Changed = std::function<void(Read)>;

  Discovery(std::shared_ptr<SessionSource> source, Milliseconds every, Changed changed);
  ~Discovery();  // waits for the reading under way
  Discovery(const Discovery&) = delete;
  Discovery& operator=(const Discovery&) = delete;

  // Somebody says that there are others: reads soon, once for many such words.
  void hurry();
  // Reads no more until it is resumed, but for a reading that is under way. What has not changed meanwhile is not told again.
  void pause();
  void resume();
  // Reads no more.
  void stop();

 private:
  void run();
  void read();

  const std::shared_ptr<SessionSource> source_;
  const Milliseconds every_;
  const Changed changed_;
  std::optional<Read> last_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool hurried_ = false;
  bool paused_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace tenure::poll
