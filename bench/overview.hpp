// The first table of the page, for a reader in a hurry: what each piece of work costs with Tenure, and whom that is ahead of or
// behind.
#pragma once

#include <string>
#include <vector>

#include "summary.hpp"

namespace tenure::bench {

// Markdown; empty where no peer was measured.
std::string overview(const std::vector<Summary>& rows);

}  // namespace tenure::bench
