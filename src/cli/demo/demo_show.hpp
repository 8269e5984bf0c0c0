// What a demonstration shows while it goes on: a picture that is drawn again and again, or one line for each event.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "cli/screen/paint.hpp"
#include "core/base/time.hpp"

namespace tenure::cli {

class DemoShow {
 public:
  DemoShow(bool plain, std::vector<std::string> sessions);

  // Where the same is to be seen in a browser.
  void watch_at(const std::string& url);
  // A sentence of the story.
  void tell(const std::string& sentence);
  // Called on the target's thread.
  void polled(const std::string& session, const std::string& instance, std::uint64_t token);
  // By session; nothing where nobody has it.
  void owners(const std::map<std::string, std::string>& owners);
  void draw();

 private:
  struct Row {
    std::string owner{};
    std::string polled_by{};
    core::Time polled_at{};
    int polls = 0;
  };

  void line(const std::string& text);
  std::string elapsed() const;
  std::string picture(const Paint& paint) const;

  bool plain_;
  core::Time began_;
  std::string url_{};
  std::mutex mutex_;
  std::map<std::string, Row> rows_;
  std::deque<std::string> story_;
};

}  // namespace tenure::cli
