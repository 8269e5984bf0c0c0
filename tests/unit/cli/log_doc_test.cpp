// docs/logs.md and the tables in the source name the same events with the same levels, and every event is used.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>

#include "support/paths.hpp"

namespace tenure::test {
namespace {

namespace fs = std::filesystem;

using Levels = std::map<std::string, std::string>;  // of events

const fs::path source = fs::path(paths::source_dir) / "src";
const fs::path library_table = source / "runtime/engine/log_events.hpp";
const fs::path program_table = source / "cli/log_events.hpp";

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

// The pattern finds an event and its level.
void read(const std::string& text, const std::string& pattern, Levels& levels) {
  const std::regex finds(pattern);
  for (auto it = std::sregex_iterator(text.begin(), text.end(), finds); it != std::sregex_iterator(); ++it) {
    EXPECT_TRUE(levels.emplace((*it)[1], (*it)[2]).second) << (*it)[1] << " is there twice";
  }
}

Levels events_of_the_source() {
  Levels levels;
  for (const auto& table : {library_table, program_table}) {
    read(text_of(table), R"re(constexpr LogEvent \w+\{"(\w+)", LogLevel::(\w+)\};)re", levels);
  }
  return levels;
}

TEST(LogDocument, NamesEveryEventOfTheSourceWithItsLevelAndNoOther) {
  Levels documented;
  read(text_of(fs::path(paths::source_dir) / "docs/logs.md"),
       R"re(\n\| `(\w+)` \| (error|warn|info|debug) \|)re", documented);
  const Levels known = events_of_the_source();
  EXPECT_GT(known.size(), 40U) << "the tables are not read as they are written";
  EXPECT_EQ(documented, known);
}

// By hand: std::regex takes most of a minute for all of the source.
bool uses(const std::string& text, const std::string& event) {
  const std::string name = "log_event::" + event;
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const char next = text[at + name.size()];
    if (std::isalnum(static_cast<unsigned char>(next)) == 0 && next != '_') return true;
  }
  return false;
}

TEST(LogDocument, NoEventIsMadeOutsideTheTablesAndNoneIsThereForNothing) {
  std::string all;
  for (const auto& file : fs::recursive_directory_iterator(source)) {
    if (file.path().extension() != ".cpp" && file.path().extension() != ".hpp") continue;
    if (file.path() == library_table || file.path() == program_table) continue;
    const std::string text = text_of(file);
    for (const char* made : {"constexpr LogEvent ", "LogEvent{", "LogEvent("}) {
      EXPECT_EQ(text.find(made), std::string::npos) << file.path();
    }
    all += text;
  }
  for (const auto& [event, level] : events_of_the_source()) {
    EXPECT_TRUE(uses(all, event)) << event << " is never logged";
  }
}

}  // namespace
}  // namespace tenure::test
