// How tests write down why leadership was lost.
#pragma once

#include <string>

#include "tenure/lease.hpp"

namespace tenure::test {

inline std::string name_of(Loss loss) {
  switch (loss) {
    case Loss::not_renewed:
      return "not_renewed";
    case Loss::missing:
      return "missing";
    case Loss::taken:
      return "taken";
    case Loss::hold_over:
      return "hold_over";
    case Loss::closed:
      return "closed";
    case Loss::stepped_down:
      return "stepped_down";
    case Loss::stopped:
      return "stopped";
  }
  return "?";
}

}  // namespace tenure::test
