#include "kubernetes/net/credentials.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "core/base/text.hpp"

namespace tenure::kubernetes {

namespace {

constexpr std::size_t file_max = std::size_t{1} << 20U;

bool same_file(const struct stat& one, const struct stat& other) {
  return one.st_ino == other.st_ino && one.st_dev == other.st_dev && one.st_size == other.st_size &&
         one.st_mtim.tv_sec == other.st_mtim.tv_sec && one.st_mtim.tv_nsec == other.st_mtim.tv_nsec;
}

bool is_header_text(const std::string& text) {
  return text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=") ==
         std::string::npos;
}

}  // namespace

tl::expected<std::string, std::string> text_of_file(const std::string& path) {
  const auto refuse = [&] {
    return tl::unexpected(core::printable(path, 200) + ": " + std::generic_category().message(errno));
  };
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return refuse();
  std::string text(file_max + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || errno == EISDIR) return refuse();
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > file_max) return tl::unexpected(core::printable(path, 200) + " is longer than 1 MiB");
  return text;
}

Credentials::Credentials(std::string token, std::string token_file)
    : token_(std::move(token)), file_(std::move(token_file)) {}

tl::expected<void, core::Failure> Credentials::read() {
  const auto refuse = [](std::string why) {
    return tl::unexpected(core::Failure{core::Applied::no, core::FailureCode::auth, std::move(why)});
  };
  struct stat now{};
  // A file that is being exchanged may be away for a moment: the token that was read is good for a while.
  if (::stat(file_.c_str(), &now) != 0) {
    if (!token_.empty()) return {};
    return refuse("the token cannot be read: " + core::printable(file_, 200) + ": " +
                  std::generic_category().message(errno));
  }
  if (!token_.empty() && same_file(now, read_at_)) return {};
  auto text = text_of_file(file_);
  if (!text)
    return token_.empty() ? refuse("the token cannot be read: " + text.error())
                          : tl::expected<void, core::Failure>();
  while (!text->empty() && (text->back() == '\n' || text->back() == '\r' || text->back() == ' '))
    text->pop_back();
  if (text->empty() || !is_header_text(*text))
    return refuse("there is no token in " + core::printable(file_, 200));
  token_ = std::move(*text);
  read_at_ = now;
  return {};
}

tl::expected<std::optional<std::string>, core::Failure> Credentials::header() {
  if (!file_.empty()) {
    if (auto done = read(); !done) return tl::unexpected(std::move(done.error()));
  }
  if (token_.empty()) return std::optional<std::string>();
  return std::optional("Authorization: Bearer " + token_);
}

bool Credentials::renew() {
  if (file_.empty()) return false;
  const std::string before = token_;
  read_at_ = {};
  return read() && token_ != before;
}

}  // namespace tenure::kubernetes
