#include "support/recorder.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace tenure::test {

namespace {

constexpr std::size_t commands_max = 200;

// Reads "<sign><number>\r\n" and goes on behind it. Nothing: more bytes are needed, or, with `bad`, others.
std::optional<std::size_t> number_at(const std::string& in, char sign, std::size_t& at, bool& bad) {
  // Seen at once: what is none of Redis's commands may have no end of a line at all.
  bad = at < in.size() && in[at] != sign;
  if (bad) return std::nullopt;
  const auto end = in.find("\r\n", at);
  if (end == std::string::npos) return std::nullopt;
  std::size_t number = 0;
  const auto [stopped, error] = std::from_chars(in.data() + at + 1, in.data() + end, number);
  bad = error != std::errc{} || stopped != in.data() + end;
  if (bad) return std::nullopt;
  at = end + 2;
  return number;
}

bool subscribes(const std::string& command) {
  std::string upper = command.substr(0, 40);
  std::ranges::transform(upper, upper.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return upper.find("SUBSCRIBE\r\n") != std::string::npos;
}

}  // namespace

void CommandSplitter::feed(std::string_view bytes) {
  if (!lost_) in_.append(bytes);
}

std::optional<std::string> CommandSplitter::next() {
  std::size_t at = 0;
  const auto words = number_at(in_, '*', at, lost_);
  for (std::size_t i = 0; words && i < *words; ++i) {
    const auto length = number_at(in_, '$', at, lost_);
    if (!length || in_.size() < at + *length + 2) return std::nullopt;
    at += *length + 2;
  }
  if (lost_) in_.clear();
  if (!words || lost_) return std::nullopt;
  std::string command = in_.substr(0, at);
  in_.erase(0, at);
  return command;
}

void Recorder::add(std::string command) {
  if (subscribes(command)) return;
  commands_.push_back(std::move(command));
  if (commands_.size() > commands_max) commands_.pop_front();
}

std::string Recorder::last(std::size_t count) const {
  std::string bytes;
  for (std::size_t i = commands_.size() - std::min(count, commands_.size()); i < commands_.size(); ++i) {
    bytes += commands_[i];
  }
  return bytes;
}

}  // namespace tenure::test
