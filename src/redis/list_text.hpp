// The list of what an instance owns as Redis keeps it: the hashes of its sessions, eight bytes each, lowest byte first.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fleet/rendezvous.hpp"

namespace tenure::redis {

std::string list_text(const std::vector<core::SessionHash>& list);
// Returns nullopt for what is no such list.
std::optional<std::vector<core::SessionHash>> read_list(std::string_view text);

}  // namespace tenure::redis
