// The library describes the options of TLS that it speaks of; here they have names.
#pragma once

#include <string>

namespace tenure::cli {

// Where each setting was given, or is to be given: its flag, unless a variable stood in for it.
struct TlsNames {
  std::string ca = "--tls-ca";
  std::string certificate = "--tls-cert";
  std::string key = "--tls-key";
  std::string server_name = "--tls-name";
};

// Each option is named behind the words for it: "the CA file (--tls-ca) names those that are". What is named already stays
// as it is, so that a sentence may come here twice.
std::string naming_tls_options(std::string sentence, const TlsNames& names = {});

}  // namespace tenure::cli
