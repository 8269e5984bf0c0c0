// One line of a story: "verb word … option=value …".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/message.hpp"

namespace tenure::scenario {

// Every reader throws std::invalid_argument where the line does not say what is asked for.
class Line {
 public:
  explicit Line(const std::string& text);

  const std::string& word(std::size_t i) const;
  std::optional<std::string> option(const std::string& name) const;
  std::string needed(const std::string& name) const;
  std::optional<core::Duration> time(const std::string& name) const;
  // "3" or "1,2,5"
  std::vector<std::uint64_t> numbers(std::size_t i) const;
  core::NodeIndex node(std::size_t i) const;
  // What stands behind "reply N" and "fail N".
  core::Reply reply() const;
  core::Failure failure() const;
  // "nobody", or "owner=web-3 token=5 left=10s": what a node shows for a name.
  core::KeyState key_state(std::size_t i) const;

 private:
  std::vector<std::string> words_;
  std::map<std::string, std::string> options_;
};

std::uint64_t number(std::string_view text);
// "500ms", "30s", "2m", also with a sign.
core::Duration duration(const std::string& text);

}  // namespace tenure::scenario
