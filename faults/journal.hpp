// What a run did and what its processes said, in memory; written to a directory only when somebody has to read it.
#pragma once

#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "core/base/time.hpp"

namespace tenure::faults {

class Journal {
 public:
  explicit Journal(bool trace) : trace_(trace) {}

  // Since then lines count their time.
  void begin(core::Time now) { begun_ = now; }
  void note(const std::string& line);
  // The end of what a process wrote to its standard error.
  void keep(const std::string& who, const std::string& said);
  // Writes everything to a new directory, and gives its path.
  std::filesystem::path write() const;

 private:
  const bool trace_;
  core::Time begun_ = core::long_ago;
  mutable std::mutex mutex_;
  std::string events_;
  std::map<std::string, std::string> said_;
};

}  // namespace tenure::faults
