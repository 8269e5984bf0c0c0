// The files of the page (web/), which are part of the program.
#pragma once

#include <span>
#include <string_view>

namespace tenure::cli {

struct Asset {
  std::string_view name;  // as in web/
  std::string_view text;
};

std::span<const Asset> assets();

// By the end of its name.
std::string_view type_of(const Asset& asset);

}  // namespace tenure::cli
