// A page of tenure --help as a man page, in the language of man(7).
#pragma once

#include <string>
#include <vector>

#include "cli/pages/help_page.hpp"

namespace tenure::cli {

struct ManPage {
  std::string name{};     // "tenure-run"
  std::string purpose{};  // one line: "run a command while holding a name"
  HelpPage help{};
  std::vector<std::string> see_also{};  // "tenure", "tenure-elect"
};

std::string man_text(const ManPage& page);

}  // namespace tenure::cli
