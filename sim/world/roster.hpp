// The sessions that there are in a world. While the storm lasts some come and some go; each process hears of that in its
// own time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/random.hpp"
#include "sim/world/schedule.hpp"

namespace tenure::sim {

class Roster {
 public:
  Roster(Schedule& schedule, std::size_t sessions, core::Random random)
      : schedule_(schedule), random_(random) {
    for (std::size_t i = 0; i < sessions; ++i) add();
  }

  const std::vector<std::string>& sessions() const { return sessions_; }
  void add() { sessions_.push_back("s" + std::to_string(++last_)); }
  void remove() {
    sessions_.erase(sessions_.begin() + static_cast<std::ptrdiff_t>(random_.below(sessions_.size())));
  }

  // From now on, about that often.
  void change(Duration every) {
    changes_ = true;
    change_next(every);
  }
  void stay() { changes_ = false; }

 private:
  void change_next(Duration every) {
    schedule_.in(random_.between(Duration::zero(), every * 2), [this, every] {
      if (!changes_) return;
      if (random_.below(2) == 0 || sessions_.empty()) {
        add();
      } else {
        remove();
      }
      change_next(every);
    });
  }

  Schedule& schedule_;
  core::Random random_;
  std::vector<std::string> sessions_;
  std::uint64_t last_ = 0;
  bool changes_ = false;
};

}  // namespace tenure::sim
