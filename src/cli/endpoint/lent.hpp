// Something that a command has for a while, like a lease, shown to the endpoint's thread for as long as it is there.
#pragma once

#include <mutex>

namespace tenure::cli {

template <class Thing>
class Lent {
 public:
  // Until this goes, which waits for whoever looks at that moment.
  class Loan {
   public:
    Loan(Lent& lent, const Thing& thing) : lent_(lent) { lent_.set(&thing); }
    ~Loan() { lent_.set(nullptr); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

   private:
    Lent& lent_;
  };

  // Calls it with the thing; with null where there is none now.
  template <class Look>
  auto look(const Look& look) const {
    const std::lock_guard lock(mutex_);
    return look(thing_);
  }

 private:
  void set(const Thing* thing) {
    const std::lock_guard lock(mutex_);
    thing_ = thing;
  }

  mutable std::mutex mutex_{};
  const Thing* thing_ = nullptr;
};

}  // namespace tenure::cli
