#include "sim/world/progress.hpp"

#include <string_view>

namespace tenure::sim {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

constexpr milliseconds terminal_every{200};
constexpr milliseconds log_every = minutes(1);
constexpr std::string_view start_of_line = "\r";
constexpr std::string_view erase_to_end_of_line = "\033[K";

std::string in_words(seconds length) {
  if (length < minutes(1)) return std::to_string(length.count()) + " s";
  return std::to_string(length / minutes(1)) + " min " + std::to_string((length % minutes(1)).count()) + " s";
}

}  // namespace

std::optional<std::string> Progress::on_worlds(std::uint64_t done, Elapsed elapsed) {
  const bool terminal = output_ == Output::terminal;
  if (elapsed - said_ < (terminal ? terminal_every : log_every)) return std::nullopt;
  said_ = elapsed;
  const double rate = static_cast<double>(done) / std::chrono::duration<double>(elapsed).count();
  std::string text = std::to_string(done) + " of " + std::to_string(worlds_) + " worlds";
  if (done > 0) {
    const std::chrono::duration<double> left(static_cast<double>(worlds_ - done) / rate);
    text += ", " + std::to_string(static_cast<std::uint64_t>(rate)) + " a second, " +
            in_words(std::chrono::ceil<seconds>(left)) + " left";
  }
  if (!terminal) return text + '\n';
  return std::string(start_of_line) + text + std::string(erase_to_end_of_line);
}

std::string Progress::end() const {
  if (output_ == Output::log) return {};
  return std::string(start_of_line) + std::string(erase_to_end_of_line);
}

}  // namespace tenure::sim
