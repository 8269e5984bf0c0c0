#include "redis/encode.hpp"

#include <array>
#include <charconv>
#include <cstddef>

namespace tenure::redis {
namespace {

void append_header(std::string& out, char type, std::size_t count) {
  std::array<char, 24> text;
  char* end = text.data();
  *end++ = type;
  if (count < 10) {
    *end++ = static_cast<char>('0' + count);
  } else {
    end = std::to_chars(end, text.data() + text.size() - 2, count).ptr;
  }
  *end++ = '\r';
  *end++ = '\n';
  out.append(text.data(), end);
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
