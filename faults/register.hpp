// The resource that owners write to: it keeps who wrote with which token when, and refuses smaller tokens than it has seen.
// It knows nothing of leases. A line in is "name who token pid began", a line out is 1 for accepted or 0 for refused.
#pragma once

#include <filesystem>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "faults/evidence.hpp"
#include "runtime/net/descriptor.hpp"

namespace tenure::faults {

class Register {
 public:
  // Listens on a Unix socket in that directory.
  explicit Register(const std::filesystem::path& directory);
  ~Register();
  Register(const Register&) = delete;
  Register& operator=(const Register&) = delete;

  std::string socket_path() const { return path_; }
  std::vector<Term> terms() const;
  // The token of the owner before the last; 0: there was none.
  core::Token earlier_token(const std::string& name) const;
  // Who has been accepted since then.
  std::set<std::string> writers(const std::string& name, core::Time since) const;

 private:
  struct Writer {
    runtime::Descriptor socket;
    std::string in{};
  };

  void run();
  // False: it has left.
  bool serve(Writer& writer);
  bool write(const std::string& line);

  std::string path_;
  runtime::Descriptor listener_;
  runtime::Descriptor stop_;
  std::list<Writer> writers_;
  mutable std::mutex mutex_;
  std::map<std::tuple<std::string, core::Token, pid_t>, Term> terms_;
  std::map<std::string, core::Token> largest_;
  std::thread thread_;
};

}  // namespace tenure::faults
