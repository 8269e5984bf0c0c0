// A directory under /tmp that goes with this object.
#pragma once

#include <filesystem>
#include <string_view>

namespace tenure::test {

class Directory {
 public:
  // The name is for people who look there. Throws std::runtime_error.
  explicit Directory(std::string_view name);
  ~Directory();
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tenure::test
