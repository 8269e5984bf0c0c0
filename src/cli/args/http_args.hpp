// The options of the HTTP endpoint, which several commands have.
#pragma once

#include <optional>
#include <string>

#include "http/listen_address.hpp"

namespace tenure::cli {

struct HttpArgs {
  std::optional<http::ListenAddress> address{};  // nothing: nothing is served
  std::string token_file{};
  bool open = false;  // everybody who reaches the address may look
};

// What is wrong with them together, or nothing.
std::optional<std::string> http_error(const HttpArgs& args);

}  // namespace tenure::cli
