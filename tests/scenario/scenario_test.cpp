// One test for every *.scenario file beside this one. After a change that is meant, TENURE_REWRITE=1
// writes down what the core does now; read the difference before you keep it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "script.hpp"
#include "story.hpp"
#include "support/paths.hpp"

namespace tenure::scenario {
namespace {

std::filesystem::path folder() {
  return std::filesystem::path(test::paths::source_dir) / "tests" / "scenario";
}

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    if (entry.path().extension() == ".scenario") found.push_back(entry.path().stem().string());
  }
  std::ranges::sort(found);
  return found;
}

std::vector<std::string> play(Story& story, const Block& block) {
  std::vector<std::string> told;
  for (const auto& command : block.commands) {
    try {
      for (auto& line : story.tell(command)) told.push_back(std::move(line));
    } catch (const std::exception& error) {
      throw std::runtime_error("\"" + command + "\": " + error.what());
    }
  }
  if (told.empty()) told.emplace_back("nothing");
  return told;
}

class Scenario : public testing::TestWithParam<std::string> {};

TEST_P(Scenario, HappensAsWritten) {
  const auto file = folder() / (GetParam() + ".scenario");
  auto blocks = read_script(file);
  ASSERT_FALSE(blocks.empty()) << file << " has no block";
  Story story;
  bool as_written = true;
  for (Block& block : blocks) {
    const auto told = play(story, block);
    const auto diff = difference(block.expected, told);
    if (diff.empty()) continue;
    as_written = false;
    block.expected = with_old_comments(told, block.expected);
    if (std::getenv("TENURE_REWRITE") == nullptr) {
      ADD_FAILURE() << file.string() << ":" << block.line
                    << ": it went another way (- expected, + happened; TENURE_REWRITE=1 keeps it)\n"
                    << diff;
    }
  }
  if (!as_written && std::getenv("TENURE_REWRITE") != nullptr) write_script(file, blocks);
}

INSTANTIATE_TEST_SUITE_P(Files, Scenario, testing::ValuesIn(names()),
                         [](const auto& file) { return file.param; });

}  // namespace
}  // namespace tenure::scenario
