// Locks as they are shown: a table, a sentence, JSON.
#pragma once

#include <string>
#include <vector>

#include "cli/json.hpp"
#include "cli/lock_view.hpp"
#include "cli/nodes.hpp"

namespace tenure::cli {

// "held by web-3 for another 12s (token 5)", "free".
std::string lock_words(const LockView& lock);

// A line for each, with a heading.
std::string lock_table(const std::vector<LockView>& locks);

// One name, and below it what each node shows.
std::string lock_page(const LockView& lock, const Nodes& nodes);

// {"locks": […]}, and one such object by itself with what each node shows. docs/lock.md says what is in it.
std::string locks_json(const std::vector<LockView>& locks);
std::string lock_json(const LockView& lock, const Nodes& nodes);

}  // namespace tenure::cli
