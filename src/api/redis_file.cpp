#include "api/redis_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "api/url_kind.hpp"
#include "core/base/text.hpp"
#include "runtime/net/descriptor.hpp"

namespace tenure::detail {

namespace {

constexpr std::size_t bytes_max = std::size_t{256} << 10;

struct File {
  std::string text;
  bool exposed = false;
};

tl::expected<File, std::string> read(const std::string& path) {
  const auto failed = [] {
    return tl::unexpected("cannot be read: " + std::generic_category().message(errno));
  };
  const runtime::Descriptor descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!descriptor || fstat(descriptor.get(), &status) != 0) return failed();
  File file;
  file.exposed = S_ISREG(status.st_mode) && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0;
  std::array<char, 4096> block{};
  while (true) {
    const auto got = ::read(descriptor.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed();
    if (got == 0) return file;
    file.text.append(block.data(), static_cast<std::size_t>(got));
    if (file.text.size() > bytes_max)
      return tl::unexpected(std::string("is too long for a list of addresses"));
  }
}

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view blank = " \t\r";
  const auto from = line.find_first_not_of(blank);
  if (from == std::string_view::npos) return {};
  return line.substr(from, line.find_last_not_of(blank) + 1 - from);
}

// Whatever stands in quotes is a part of the file, and perhaps of another one than was meant.
std::string without_quotes(std::string why) {
  const auto from = why.find('"');
  if (from == std::string::npos) return why;
  return why.replace(from, why.rfind('"') + 1 - from, "(not shown)");
}

}  // namespace

tl::expected<RedisFile, std::string> read_redis_file(const std::string& path) {
  const std::string name = core::printable(redis::without_secrets(path), 200);  // perhaps a URL by mistake
  const auto text = read(path);
  if (!text) return tl::unexpected(name + " " + text.error());
  RedisFile file;
  file.exposed = text->exposed;
  std::size_t number = 0;
  for (std::size_t from = 0; from < text->text.size();) {
    const auto end = std::min(text->text.find('\n', from), text->text.size());
    const auto line = trimmed(std::string_view(text->text).substr(from, end - from));
    from = end + 1;
    number += 1;
    if (line.empty() || line.starts_with('#')) continue;
    if (!is_redis(line)) {
      (postgres::is_url(line) ? file.postgres : file.http).emplace_back(line);
      continue;
    }
    auto address = redis::parse_url(line);
    if (!address) {
      return tl::unexpected(name + ", line " + std::to_string(number) + ": " +
                            without_quotes(address.error()));
    }
    file.addresses.push_back(std::move(*address));
  }
  if (file.addresses.empty() && file.postgres.empty() && file.http.empty())
    return tl::unexpected(name + " names no Redis: one URL on each line");
  return file;
}

}  // namespace tenure::detail
