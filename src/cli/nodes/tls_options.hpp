// The library describes the options of TLS that it speaks of; here they have names.
#pragma once

#include <string>

namespace tenure::cli {

// Each option is named behind the words for it: "the CA file (--tls-ca) names those that are".
std::string naming_tls_options(std::string sentence);

}  // namespace tenure::cli
