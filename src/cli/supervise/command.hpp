// A command to run: found in PATH, with its arguments and environment as the kernel takes them.
// No shell sees any of it.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "cli/exit_code.hpp"

namespace tenure::cli {

class Command {
 public:
  struct Missing {
    ExitCode code = ExitCode::not_found;
    std::string sentence;
  };

  // Looked up before anything is acquired, so that a slip of the pen touches nothing.
  static tl::expected<Command, Missing> find(const std::vector<std::string>& words);

  Command(Command&&) = default;  // a copy would point into the original
  Command& operator=(Command&&) = default;

  // Replaces the variable, or adds it.
  void set_environment(const std::string& name, const std::string& value);

  // Only returns when it fails, with errno. Allocates nothing: callable after a fork with threads.
  int exec() const;
  // What an errno of exec means.
  Missing missing(int error) const;

 private:
  Command(std::string path, const std::vector<std::string>& words);

  std::string path_;
  std::vector<std::string> words_;
  std::vector<std::string> environment_;
  std::vector<char*> argv_;  // into words_ and environment_, as execve wants them
  std::vector<char*> envp_;
};

}  // namespace tenure::cli
