#include "cli/nodes/tls_options.hpp"

#include <array>
#include <string_view>

namespace tenure::cli {

namespace {

struct Phrase {
  std::string_view words;  // the name stands behind them
  std::string_view rest;   // and before these
  std::string name;
};

// As src/runtime/net/tls.cpp and tls_text.cpp say it.
std::array<Phrase, 11> phrases(const TlsNames& names) {
  return {{
      {"the CA file", "", names.ca},
      {"give a CA file", "", names.ca},
      {"the certificate file", "", names.certificate},
      {"the key file", "", names.key},
      {"asks for a client certificate", "", names.certificate + " and " + names.key},
      {"refuses our certificate", "", names.certificate},
      {"a client certificate", " is of no use", names.certificate},
      {"of no use without its key", "", names.key},
      {"a key", " is of no use", names.key},
      {"of no use without its certificate", "", names.certificate},
      {"the server name to expect", "", names.server_name},
  }};
}

}  // namespace

std::string naming_tls_options(std::string sentence, const TlsNames& names) {
  for (const auto& [words, rest, name] : phrases(names)) {
    const std::string sought = std::string(words) + std::string(rest);
    const std::string named = " (" + name + ")";
    // Several nodes may fail alike, each in a line of its own.
    for (auto at = sentence.find(sought); at != std::string::npos; at = sentence.find(sought, at)) {
      at += words.size();
      if (sentence.compare(at, 2, " (") != 0) sentence.insert(at, named);
    }
  }
  return sentence;
}

}  // namespace tenure::cli
