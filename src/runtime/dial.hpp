// Connects to an address without blocking: looks its name up beside the loop, then tries each address
// that it has.
#pragma once

#include <netinet/in.h>
#include <sys/un.h>

#include <memory>
#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "core/message.hpp"
#include "redis/url.hpp"
#include "runtime/descriptor.hpp"

namespace tenure::runtime {

class Dial {
 public:
  explicit Dial(const redis::Address& address);

  // Connected, not yet, or why not. To be called when fd() is ready for events().
  tl::expected<std::optional<Descriptor>, core::Failure> step();

  int fd() const;
  short events() const;

 private:
  struct Target {
    sockaddr_storage address{};
    socklen_t length = 0;
  };
  struct Lookup;

  void look_up(const redis::Address& address);
  // Begins to connect to the next target; false when there is none left.
  bool next_target();

  std::shared_ptr<Lookup> lookup_;  // shared with the thread that looks the name up
  std::vector<Target> targets_;
  std::size_t tried_ = 0;
  Descriptor socket_;
  int error_ = 0;
};

}  // namespace tenure::runtime
