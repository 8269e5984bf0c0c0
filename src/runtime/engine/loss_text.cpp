#include "runtime/engine/loss_text.hpp"

namespace tenure::runtime {

using core::LossReason;

std::string loss_text(LossReason reason) {
  switch (reason) {
    case LossReason::missing:
      return "its key is gone from the store (deleted, evicted, or the data was lost)";
    case LossReason::taken:
      return "its key in the store shows another grant";
    case LossReason::over:
      return "it was held as long as it may be";
    case LossReason::closed:
      return "the client was closed";
    case LossReason::stepped_down:
      return "it was asked to step down";
    case LossReason::stopped:
      return "its election was stopped";
    case LossReason::not_renewed:
      break;
  }
  return "it could not be renewed in time";
}

std::string_view loss_word(LossReason reason) {
  switch (reason) {
    case LossReason::missing:
      return "missing";
    case LossReason::taken:
      return "taken";
    case LossReason::over:
      return "hold_over";
    case LossReason::closed:
      return "closed";
    case LossReason::stepped_down:
      return "stepped_down";
    case LossReason::stopped:
      return "stopped";
    case LossReason::not_renewed:
      break;
  }
  return "not_renewed";
}

}  // namespace tenure::runtime
