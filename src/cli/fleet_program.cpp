#include "cli/fleet_program.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "cli/message.hpp"
#include "cli/version.hpp"
#include "core/base/number.hpp"
#include "core/base/text.hpp"
#include "runtime/net/descriptor.hpp"

namespace tenure::cli {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr auto program_name = "tenure-fleet";
// From the folder of tenure to that of tenure-fleet, where both are installed. Relative, because the tree may be moved.
constexpr auto installed_at = TENURE_FLEET_FOLDER;
// Where the words are: the number of the descriptor, a space, and the version that wrote them.
constexpr auto variable = "TENURE_WORDS";

[[noreturn]] void throw_errno(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// Each word ends with a NUL, which none can contain.
runtime::Descriptor written(const Words& words) {
  std::string text;
  for (const auto& word : words) text.append(word).push_back('\0');
  runtime::Descriptor file(memfd_create("tenure words", 0));
  if (!file) throw_errno("cannot hand over the command line");
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = write(file.get(), text.data() + done, text.size() - done);
    if (count < 0 && errno != EINTR) throw_errno("cannot hand over the command line");
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  return file;
}

Words read_words(int file) {
  std::string text;
  std::array<char, 4096> piece{};
  while (true) {
    const ssize_t count = pread(file, piece.data(), piece.size(), static_cast<off_t>(text.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_errno("cannot read the command line that was handed over");
    if (count == 0) break;
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
  Words words;
  for (std::size_t from = 0; from < text.size(); from += words.back().size() + 1) {
    words.emplace_back(text.c_str() + from);
  }
  return words;
}

// The folder stays right when the file was removed: the kernel then adds a word to the name of the file.
struct OwnPlace {
  fs::path folder;
  bool removed = false;
};

OwnPlace own_place() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) throw std::system_error(error, "cannot tell where tenure lies, by /proc/self/exe");
  return {self.parent_path(), !fs::exists(self, error)};
}

std::string why_not(const fs::path& beside, const fs::path& installed, int error, bool removed) {
  const std::string what = std::string("the program ") + program_name + ", which does this command, ";
  const std::string advice = removed ? "tenure itself was removed or replaced while it started: try again"
                                     : "it comes with tenure: install Tenure again, the whole of it";
  if (error == ENOENT || error == ENOTDIR) {
    return what + "is neither in " + core::printable(beside.string(), 200) + " nor in " +
           core::printable(installed.string(), 200) + "; " + advice;
  }
  return what + "cannot be run: " + std::generic_category().message(error) + "; " + advice;
}

}  // namespace

int become_fleet_program(const CommandLine& line) {
  const auto [folder, removed] = own_place();
  const fs::path installed = (folder / installed_at).lexically_normal();
  const runtime::Descriptor words = written(line.words);
  const std::string value = std::to_string(words.get()) + ' ' + std::string(version());
  // NOLINTNEXTLINE(concurrency-mt-unsafe): there are no threads yet
  if (setenv(variable, value.c_str(), 1) != 0) throw_errno("cannot hand over the command line");
  int error = ENOENT;
  // Beside tenure it is in a build, and wherever somebody has put both.
  for (const fs::path& place : {folder, installed}) {
    execv((place / program_name).c_str(), line.shown);
    // What cannot be run is worth more words than what is not there.
    if (errno != ENOENT && errno != ENOTDIR) error = errno;
  }
  return fail(ExitCode::own_error, why_not(folder, installed, error, removed));
}

Words words_handed_over(int argc, char** argv) {
  const char* value = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): there are no threads yet
  if (value == nullptr) return words_of(argc, argv);
  const std::string text = value;
  unsetenv(variable);            // NOLINT(concurrency-mt-unsafe): nor for what we start
  prctl(PR_SET_NAME, "tenure");  // as whoever looks for it by its name calls it
  const auto space = text.find(' ');
  const auto number = core::read_number<int>(text.substr(0, space));
  if (!number || *number <= STDERR_FILENO || space == std::string::npos) {
    throw std::runtime_error(std::string("the variable ") + variable + " is not from tenure; unset it");
  }
  const runtime::Descriptor file(*number);
  if (const std::string other = text.substr(space + 1); other != version()) {
    throw std::runtime_error("tenure is version " + core::printable(other, 60) + ", and its program " +
                             program_name + " is " + std::string(version()) +
                             "; install Tenure again, the whole of it");
  }
  return read_words(file.get());
}

}  // namespace tenure::cli
