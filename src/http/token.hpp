// The secret that a viewer must show, and how two are compared.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace tenure::http {

struct TokenFile {
  std::string token;
  // Others than its owner can read or change it.
  bool exposed = false;
};

// The first line of the file, which is all that may be in it: 16 to 512 printable characters of ASCII without blanks. The error
// names the file, and shows nothing of what it holds.
tl::expected<TokenFile, std::string> read_token_file(const std::string& path);

// Takes the same time wherever they differ, so that nobody can guess a token piece by piece. Its length is no secret.
bool same_secret(std::string_view one, std::string_view other);

// Does the value of an Authorization header show this token?
bool shows_token(std::string_view authorization, std::string_view token);

}  // namespace tenure::http
