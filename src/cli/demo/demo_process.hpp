// A process that belongs to a demonstration: it goes when the demonstration goes, however that ends.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace tenure::cli {

class DemoProcess {
 public:
  // What it writes goes to that file. Call it from the main thread: the process is killed when the thread that started
  // it ends. The error is a sentence.
  static tl::expected<DemoProcess, std::string> start(const std::vector<std::string>& words,
                                                      const std::filesystem::path& log);
  ~DemoProcess();  // kills it
  DemoProcess(DemoProcess&& other) noexcept;
  DemoProcess& operator=(DemoProcess&& other) noexcept;

  void signal(int number) const;
  // Has it ended by then? Also reaps it.
  bool ends_within(int milliseconds);

 private:
  explicit DemoProcess(pid_t pid) : pid_(pid) {}

  pid_t pid_ = -1;  // -1: none, or it was reaped
};

}  // namespace tenure::cli
