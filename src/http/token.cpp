#include "http/token.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "core/base/text.hpp"
#include "runtime/net/descriptor.hpp"

namespace tenure::http {

namespace {

constexpr std::size_t length_min = 16;
constexpr std::size_t length_max = 512;
constexpr std::string_view scheme = "bearer ";

bool is_visible(char letter) { return letter > ' ' && letter < '\x7f'; }

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

}  // namespace

tl::expected<TokenFile, std::string> read_token_file(const std::string& path) {
  const std::string name = core::printable(path, 200);
  const auto failed = [&] {
    return tl::unexpected(name + " cannot be read: " + std::generic_category().message(errno));
  };
  const runtime::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!file || fstat(file.get(), &status) != 0) return failed();
  std::string text;
  std::array<char, 1024> block{};
  while (text.size() <= length_max + 1) {
    const auto got = ::read(file.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed();
    if (got == 0) break;
    text.append(block.data(), static_cast<std::size_t>(got));
  }
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  if (text.size() < length_min || text.size() > length_max || !std::ranges::all_of(text, is_visible)) {
    return tl::unexpected(name + " must hold one line, the token: " + std::to_string(length_min) + " to " +
                          std::to_string(length_max) + " characters of ASCII without blanks");
  }
  return TokenFile{std::move(text), S_ISREG(status.st_mode) && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0};
}

bool same_secret(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  // volatile: a compiler that saw through this could leave the loop early.
  volatile unsigned char difference = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    difference = static_cast<unsigned char>(
        difference | (static_cast<unsigned char>(one[i]) ^ static_cast<unsigned char>(other[i])));
  }
  return difference == 0;
}

bool shows_token(std::string_view authorization, std::string_view token) {
  if (authorization.size() < scheme.size()) return false;
  const auto given = authorization.substr(0, scheme.size());
  if (!std::ranges::equal(given, scheme, {}, lower)) return false;
  return same_secret(authorization.substr(scheme.size()), token);
}

}  // namespace tenure::http
