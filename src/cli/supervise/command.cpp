#include "cli/supervise/command.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/text.hpp"

namespace tenure::cli {

namespace {

// 0, or why this file cannot be run.
int check(const std::string& path) {
  struct stat file{};
  if (stat(path.c_str(), &file) != 0) return errno;
  if (!S_ISREG(file.st_mode)) return EACCES;
  return access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

struct Found {
  std::string path;
  int error = ENOENT;
};

// As execvp does: the first that can be run; if there are only some that cannot, that is what is said.
Found look_up(const std::string& name) {
  if (name.find('/') != std::string::npos) return {name, check(name)};
  const char* variable = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): before any thread
  const std::string_view path = variable == nullptr ? "/usr/local/bin:/usr/bin:/bin" : variable;
  Found best{name, ENOENT};
  for (std::size_t from = 0; from <= path.size() && !name.empty();) {
    const auto colon = std::min(path.find(':', from), path.size());
    const std::string folder(path.substr(from, colon - from));
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    from = colon + 1;
    const int error = check(file);
    if (error == 0) return {file, 0};
    if (error == EACCES) best = {file, error};
  }
  return best;
}

Command::Missing missing_text(const std::string& name, int error) {
  const bool absent = error == ENOENT || error == ENOTDIR;
  const std::string shown = core::printable(name);
  if (absent) return {ExitCode::not_found, "command not found: " + shown};
  const std::string hint =
      error == ENOEXEC ? " (does a script of yours lack its first line, #!/bin/sh?)" : "";
  return {ExitCode::cannot_run, "cannot run " + shown + ": " + std::generic_category().message(error) + hint};
}

void point_into(std::vector<std::string>& texts, std::vector<char*>& pointers) {
  pointers.clear();
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
}

}  // namespace

tl::expected<Command, Command::Missing> Command::find(const std::vector<std::string>& words) {
  const Found found = look_up(words.front());
  if (found.error != 0) return tl::unexpected(missing_text(words.front(), found.error));
  return Command(found.path, words);
}

Command::Command(std::string path, const std::vector<std::string>& words)
    : path_(std::move(path)), words_(words) {
  for (char** entry = environ; *entry != nullptr; ++entry) environment_.emplace_back(*entry);
  point_into(words_, argv_);
  point_into(environment_, envp_);
}

void Command::set_environment(const std::string& name, const std::string& value) {
  std::erase_if(environment_, [&](const std::string& entry) { return entry.starts_with(name + "="); });
  environment_.push_back(name + "=" + value);
  point_into(environment_, envp_);
}

int Command::exec() const {
  execve(path_.c_str(), argv_.data(), envp_.data());
  return errno;
}

Command::Missing Command::missing(int error) const { return missing_text(words_.front(), error); }

}  // namespace tenure::cli
