// What is polled, and where it is known from.
#pragma once

#include <chrono>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace tenure {

/// One thing to poll.
struct Session {
  std::string id{};
  std::string address{};
  std::chrono::milliseconds interval{10'000};  // 4 s to 120 s, from one poll to the next
  bool paused = false;                         // it is known, but not polled, and holds no lease

  bool operator==(const Session&) const = default;
};

/// A session that cannot be polled as it is written, and why.
struct BadSession {
  std::string id{};
  std::string why{};

  bool operator==(const BadSession&) const = default;
};

struct Sessions {
  std::vector<Session> good{};  // by id, each once
  std::vector<BadSession> bad{};
};

/// Where sessions are known from. Read on a thread of its own, now and then and when somebody says that they changed.
class SessionSource {
 public:
  SessionSource() = default;
  virtual ~SessionSource() = default;
  SessionSource(const SessionSource&) = delete;
  SessionSource& operator=(const SessionSource&) = delete;

  /// All of them as they are now; or why they cannot be read, a sentence. May block for some seconds.
  virtual tl::expected<Sessions, std::string> read() = 0;
};

}  // namespace tenure
