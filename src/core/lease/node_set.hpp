// Which nodes decide together, as one word that every client of them says: a majority of three and a majority of five
// that include them need not share a node, and neither need two sets of three that differ in one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenure::core {

// "1" for a single node, wherever it is; else how many there are, and a name: the one given, or one made from their places, in any
// order.
std::string node_set(std::vector<std::string> places, std::string_view name = {});

// Why this cannot name a set, or nothing when it can: it is a word in the record.
std::optional<std::string> node_set_error(std::string_view name);

}  // namespace tenure::core
