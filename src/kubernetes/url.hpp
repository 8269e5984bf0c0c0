// Which URLs name a Kubernetes API server. Apart from all else, because programs that link none of it ask this, too.
#pragma once

#include <string_view>

namespace tenure::kubernetes {

inline constexpr std::string_view scheme = "kubernetes://";

inline bool is_url(std::string_view url) { return url.starts_with(scheme); }

}  // namespace tenure::kubernetes
