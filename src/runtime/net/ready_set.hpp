// One descriptor for several that are awaited: an epoll set, for whoever is polled as one and is many.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/base/time.hpp"
#include "core/message.hpp"
#include "runtime/net/descriptor.hpp"
#include "runtime/store/connection.hpp"

namespace tenure::runtime {

class ReadySet {
 public:
  using Key = std::uint64_t;

  ReadySet();
  // False: this machine has no descriptor left.
  explicit operator bool() const { return static_cast<bool>(set_); }
  // Readable when one of them is ready.
  int fd() const { return set_.get(); }

  // What is awaited under this key from now on; without a descriptor, nothing. Of one that may be closed and opened again
  // under the same number the caller says so.
  void watch(Key key, const Awaited& awaited, bool may_be_another = false);
  // Those that are ready now.
  std::vector<Key> ready() const;
  // Is one of them to be written to?
  bool writes() const;

 private:
  Descriptor set_;
  std::map<Key, Awaited> watched_;
};

// Readable after that long; no descriptor where this machine has none left.
Descriptor timer_after(core::Duration duration);
core::Failure no_descriptor();

}  // namespace tenure::runtime
