// While it lives this process can make no thread.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <stdexcept>

namespace tenure::test {

class NoThreads {
 public:
  NoThreads() {
    // No address space has room for such a stack.
    pthread_attr_t huge{};
    if (pthread_getattr_default_np(&before_) != 0 || pthread_attr_init(&huge) != 0 ||
        pthread_attr_setstacksize(&huge, std::size_t{1} << 60) != 0 ||
        pthread_setattr_default_np(&huge) != 0) {
      throw std::runtime_error("the stack of new threads cannot be set");
    }
    pthread_attr_destroy(&huge);
  }
  ~NoThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t before_{};
};

}  // namespace tenure::test
