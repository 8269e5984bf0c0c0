// Where local servers are, and who else may sit on a port.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenure::cli {

// Where servers are kept unless --dir says otherwise; nothing where there is no home directory.
std::optional<std::filesystem::path> default_root();

// All ports for which a directory of that name and the port is there, in order: of "sentinel-" that of DIR/sentinel-26379.
std::vector<std::uint16_t> ports_in(const std::filesystem::path& root, std::string_view folder);

// Who has the port of 127.0.0.1, and what to do, in words; nothing when it is free.
std::optional<std::string> taken_by(std::uint16_t port);

}  // namespace tenure::cli
