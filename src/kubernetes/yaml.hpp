// YAML as configuration files use it, and JSON with it, read into a tree within bounds.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace tenure::kubernetes {

struct Yaml {
  std::string text{};  // of a scalar, whatever its type
  std::vector<std::pair<std::string, Yaml>> members{};
  std::vector<Yaml> items{};

  // Null: there is none.
  const Yaml* find(std::string_view name) const;
  // Empty: there is none.
  std::string text_of(std::string_view name) const;
};

// The first document. The error says what is wrong and where.
tl::expected<Yaml, std::string> read_yaml(std::string_view text);

}  // namespace tenure::kubernetes
