// What the program has logged as JSON, read as a collector of logs would: every line must be an object.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "poll/json_text.hpp"
#include "support/paths.hpp"

namespace tenure::test {

// Those that docs/logs.md describes: what stands in the first column of its table of fields.
inline std::set<std::string> documented_fields() {
  std::ifstream stream(std::filesystem::path(paths::source_dir) / "docs/logs.md");
  std::set<std::string> fields;
  bool there = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("## ")) there = line == "## Fields";
    if (!there || !line.starts_with("| `")) continue;
    const std::string names = line.substr(0, line.find(" |", 2));
    const std::regex name("`([a-z_]+)`");
    for (auto it = std::sregex_iterator(names.begin(), names.end(), name); it != std::sregex_iterator();
         ++it) {
      fields.insert((*it)[1]);
    }
  }
  return fields;
}

class LogLines {
 public:
  // Of a whole stream. Anything else on it is a failure of the test, and so is a line without what every line has.
  explicit LogLines(const std::string& stream) : stream_(stream) {
    std::istringstream lines(stream);
    for (std::string line; std::getline(lines, line);) add(line);
    EXPECT_TRUE(stream.empty() || stream.back() == '\n') << "a line that was cut: " << stream;
  }

  std::size_t size() const { return lines_.size(); }
  const std::string& stream() const { return stream_; }

  std::vector<std::string> events() const {
    std::vector<std::string> names;
    for (const auto& line : lines_) names.emplace_back(line.at("event").as_string().c_str());
    return names;
  }
  bool has(const std::string& event) const { return find(event) != nullptr; }
  // A field of the first line with that event, a number as its digits; nothing where there is none.
  std::optional<std::string> field(const std::string& event, const std::string& key) const {
    const auto* line = find(event);
    const auto* value = line == nullptr ? nullptr : line->if_contains(key);
    if (value == nullptr) return std::nullopt;
    if (value->is_string()) return std::string(value->as_string());
    return std::to_string(value->to_number<std::uint64_t>());
  }

 private:
  using Object = poll::json::object;

  void add(const std::string& line) {
    const auto read = poll::read_json(line);
    ASSERT_TRUE(read && read->is_object()) << "no JSON object: " << line;
    for (const char* key : {"time", "level", "event", "message"}) {
      const auto* value = read->as_object().if_contains(key);
      ASSERT_TRUE(value != nullptr && value->is_string()) << key << " is missing: " << line;
    }
    const Object& object = read->as_object();
    static const std::regex time(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)");
    static const std::regex level("error|warn|info|debug");
    static const std::regex event("[a-z]+(_[a-z]+)*");
    EXPECT_TRUE(std::regex_match(object.at("time").as_string().c_str(), time)) << line;
    EXPECT_TRUE(std::regex_match(object.at("level").as_string().c_str(), level)) << line;
    EXPECT_TRUE(std::regex_match(object.at("event").as_string().c_str(), event)) << line;
    static const std::set<std::string> known = documented_fields();
    for (const auto& field : object) {
      EXPECT_TRUE(known.contains(std::string(field.key()))) << field.key() << " is not documented: " << line;
    }
    lines_.push_back(object);
  }

  const Object* find(const std::string& event) const {
    for (const auto& line : lines_) {
      if (line.at("event").as_string() == event) return &line;
    }
    return nullptr;
  }

  std::string stream_;
  std::vector<Object> lines_;
};

}  // namespace tenure::test
