#include "cli/redis_up/seal_note.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

#include "runtime/boot_clock.hpp"
#include "runtime/net/descriptor.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view title = "tenure sealed record 1";

// Another one after every start of the machine: only within one do the clocks below go on.
std::string boot_id() {
  std::ifstream stream("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(stream, id);
  return id;
}

std::int64_t boot_now_ms() {
  return std::chrono::floor<std::chrono::milliseconds>(runtime::boot_now().time_since_epoch()).count();
}

// A file that was copied, restored or moved there has another number, or another time of its last change.
std::optional<std::string> traits_of(const fs::path& path) {
  struct stat status{};
  if (lstat(path.c_str(), &status) != 0) return std::nullopt;
  std::ostringstream text;
  text << status.st_dev << ' ' << status.st_ino << ' ' << status.st_size << ' ' << status.st_mtim.tv_sec
       << '.' << status.st_mtim.tv_nsec << ' ' << status.st_ctim.tv_sec << '.' << status.st_ctim.tv_nsec;
  return text.str();
}

// Of the server's directory, and of everything in its data: one line each.
std::optional<std::string> traits_of_all(const fs::path& directory) {
  std::vector<fs::path> paths{directory, directory / "data"};
  std::error_code error;
  fs::recursive_directory_iterator entry(directory / "data", error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error))
    paths.push_back(entry->path());
  if (error) return std::nullopt;
  std::ranges::sort(paths);
  std::string all;
  for (const auto& path : paths) {
    const auto traits = traits_of(path);
    if (!traits) return std::nullopt;
    all += *traits + " " + path.lexically_relative(directory).string() + "\n";
  }
  return all;
}

// A name is in a directory for good, or gone from it, once that was written.
bool sync_directory(const fs::path& directory) {
  const runtime::Descriptor descriptor(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return descriptor && fsync(descriptor.get()) == 0;
}

bool write_for_good(const fs::path& path, const std::string& text) {
  const runtime::Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file) return false;
  const auto written = write(file.get(), text.data(), text.size());
  return written == static_cast<ssize_t>(text.size()) && fsync(file.get()) == 0 &&
         sync_directory(path.parent_path());
}

// Have both clocks gone on alike? One that is kept right is changed by less than a thousandth.
bool alike(std::int64_t wall_ms, std::int64_t boot_ms) {
  return boot_ms >= 0 && std::abs(wall_ms - boot_ms) <= 10 + boot_ms / 100;
}

}  // namespace

bool leave_note(const fs::path& note, const fs::path& directory, const SealedRecord& sealed) {
  const std::string boot = boot_id();
  const auto traits = traits_of_all(directory);
  if (boot.empty() || !traits || sealed.text.find('\n') != std::string::npos) return false;
  std::ostringstream text;
  text << title << '\n'
       << boot << '\n'
       << runtime::wall_now_ms() << ' ' << boot_now_ms() << '\n'
       << sealed.seal << '\n'
       << sealed.text << '\n'
       << *traits;
  if (write_for_good(note, text.str())) return true;
  std::error_code ignored;
  fs::remove(note, ignored);
  return false;
}

std::optional<SealedRecord> take_note(const fs::path& note, const fs::path& directory) {
  std::ifstream stream(note);
  if (!stream) return std::nullopt;
  std::string first;
  std::string boot;
  std::string clocks;
  SealedRecord sealed;
  for (std::string* line : {&first, &boot, &clocks, &sealed.seal, &sealed.text}) std::getline(stream, *line);
  const std::string traits(std::istreambuf_iterator<char>(stream), {});
  stream.close();
  std::error_code error;
  if (!fs::remove(note, error) || !sync_directory(note.parent_path())) return std::nullopt;
  std::int64_t wall_then = 0;
  std::int64_t boot_then = 0;
  std::istringstream times(clocks);
  if (first != title || boot != boot_id() || !(times >> wall_then >> boot_then)) return std::nullopt;
  if (!alike(runtime::wall_now_ms() - wall_then, boot_now_ms() - boot_then)) return std::nullopt;
  if (sealed.seal.empty() || traits_of_all(directory) != traits) return std::nullopt;
  return sealed;
}

}  // namespace tenure::cli
