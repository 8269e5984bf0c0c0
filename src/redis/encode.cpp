#include "redis/encode.hpp"

#include <array>
#include <charconv>
#include <cstddef>

namespace tenure::redis {
namespace {

void append_header(std::string& out, char type, std::size_t count) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), count).ptr;
  out += type;
  out.append(digits.data(), end);
  out += "\r\n";
}

}  // namespace

void append_command(std::string& out, std::span<const std::string> args) {
  append_header(out, '*', args.size());
  for (const std::string& arg : args) {
    append_header(out, '$', arg.size());
    out += arg;
    out += "\r\n";
  }
}

}  // namespace tenure::redis
