// What kubeconfig files carry as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tenure::kubernetes {

// Returns nullopt for what is no base64. White space is skipped.
std::optional<std::string> read_base64(std::string_view text);

}  // namespace tenure::kubernetes
