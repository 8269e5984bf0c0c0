// The results for a reader who does not trust us: as a page (Markdown, with plots beside it), and in short for
// the terminal.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "machine.hpp"
#include "summary.hpp"

namespace tenure::bench {

struct Report {
  std::vector<Summary> rows{};
  std::vector<std::string> failed{};  // what could not be measured, and why
  std::vector<Fact> facts{};
  bool quick = false;
};

// Throws std::runtime_error where it cannot write. The plots go to plots/ beside the page.
void write_page(const Report& report, const std::filesystem::path& page);
std::string page(const Report& report);
std::string in_short(const Summary& row);

}  // namespace tenure::bench
