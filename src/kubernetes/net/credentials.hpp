// By what the API server believes us. A token in a file is read again when the file changes: those of service accounts last an hour,
// and are exchanged long before.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "core/message.hpp"

namespace tenure::kubernetes {

class Credentials {
 public:
  // Of both at most one; neither: a certificate, or nobody in particular.
  Credentials(std::string token, std::string token_file);

  // The header that says it; nullopt where there is none to say. Never to be shown.
  tl::expected<std::optional<std::string>, core::Failure> header();
  // The server does not accept it. True: the file holds another one by now.
  bool renew();

 private:
  tl::expected<void, core::Failure> read();

  std::string token_;
  std::string file_;
  struct stat read_at_{};  // what the file was when it was read
};

// All of a file that is not absurdly long. The error is a sentence.
tl::expected<std::string, std::string> text_of_file(const std::string& path);

}  // namespace tenure::kubernetes
