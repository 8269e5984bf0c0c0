// Keeps the last commands that clients sent to Redis on one way, whole, so that they can be sent once more.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace tenure::test {

// Cuts one connection's stream into commands.
class CommandSplitter {
 public:
  void feed(std::string_view bytes);
  // Nothing: it is not all there yet, or what came is no command.
  std::optional<std::string> next();

 private:
  std::string in_;
  bool lost_ = false;
};

class Recorder {
 public:
  // Who subscribes hears from then on; that is no request which could come late.
  void add(std::string command);
  void forget() { commands_.clear(); }
  // The last so many, as they were sent.
  std::string last(std::size_t count) const;

 private:
  std::deque<std::string> commands_;
};

}  // namespace tenure::test
