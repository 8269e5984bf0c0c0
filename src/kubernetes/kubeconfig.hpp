// A kubeconfig file: which API server its current context names, and as whom it is asked. Pure: files are read by others.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "kubernetes/yaml.hpp"

namespace tenure::kubernetes {

// Where an API server is, how it is to be believed, and what it believes us by.
struct Target {
  std::string server{};       // https://host:port
  std::string ca_file{};      // PEM; of both at most one
  std::string ca_text{};      // the same as text; neither: whom the system trusts
  std::string server_name{};  // that its certificate must show; empty: the host
  std::string certificate{};  // a file, or PEM where it begins with -----
  std::string key{};
  std::string token{};
  std::string token_file{};  // instead; read again when it changes
  std::string name_space{};  // of the context; empty: it names none
};

struct ConfigFile {
  std::string path{};
  Yaml content{};
};

// Several files count as one, of which the first that says something wins. The error is a sentence without secrets.
tl::expected<Target, std::string> target_of(const std::vector<ConfigFile>& files);

}  // namespace tenure::kubernetes
