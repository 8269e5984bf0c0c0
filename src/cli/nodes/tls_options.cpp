#include "cli/nodes/tls_options.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace tenure::cli {

namespace {

// As src/runtime/net/tls.cpp and tls_text.cpp say it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> options{{
    {"the CA file", "--tls-ca"},
    {"give a CA file", "--tls-ca"},
    {"asks for a client certificate", "--tls-cert and --tls-key"},
    {"refuses our certificate", "--tls-cert"},
    {"of no use without its key", "--tls-key"},
    {"of no use without its certificate", "--tls-cert"},
    {"the server name to expect", "--tls-name"},
}};

}  // namespace

std::string naming_tls_options(std::string sentence) {
  for (const auto& [words, option] : options) {
    const auto at = sentence.find(words);
    if (at != std::string::npos) sentence.insert(at + words.size(), " (" + std::string(option) + ")");
  }
  return sentence;
}

}  // namespace tenure::cli
