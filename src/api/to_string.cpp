#include <string>
#include <string_view>

#include "tenure/tenure.hpp"

namespace tenure {

std::string_view to_string(Loss loss) {
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
  return "unknown";
}

std::string_view to_string(Released how) {
  switch (how) {
    case Released::released:
      return "released";
    case Released::expired:
      return "expired";
    case Released::taken:
      return "taken";
  }
  return "unknown";
}

std::string_view to_string(NotOpen::Why why) {
  switch (why) {
    case NotOpen::Why::quarantine:
      return "quarantine";
    case NotOpen::Why::no_record:
      return "no_record";
    case NotOpen::Why::foreign_record:
      return "foreign_record";
    case NotOpen::Why::other_ttl_max:
      return "other_ttl_max";
    case NotOpen::Why::left_set:
      return "left_set";
    case NotOpen::Why::between_sets:
      return "between_sets";
    case NotOpen::Why::other_count:
      return "other_count";
    case NotOpen::Why::other_name:
      return "other_name";
    case NotOpen::Why::other_set:
      return "other_set";
  }
  return "unknown";
}

std::string_view to_string(Refusal::Code code) {
  switch (code) {
    case Refusal::Code::held:
      return "held";
    case Refusal::Code::no_quorum:
      return "no_quorum";
    case Refusal::Code::not_open:
      return "not_open";
    case Refusal::Code::too_slow:
      return "too_slow";
    case Refusal::Code::waited:
      return "waited";
    case Refusal::Code::cancelled:
      return "cancelled";
    case Refusal::Code::closed:
      return "closed";
    case Refusal::Code::lost:
      return "lost";
    case Refusal::Code::usage:
      return "usage";
    case Refusal::Code::system:
      return "system";
  }
  return "unknown";
}

std::string_view to_string(LogLevel level) {
  switch (level) {
    case LogLevel::error:
      return "error";
    case LogLevel::warn:
      return "warn";
    case LogLevel::info:
      return "info";
    case LogLevel::debug:
      return "debug";
  }
  return "unknown";
}

std::string_view to_string(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::acquired:
      return "acquired";
    case Event::Kind::renewed:
      return "renewed";
    case Event::Kind::uncertain:
      return "uncertain";
    case Event::Kind::lost:
      return "lost";
    case Event::Kind::released:
      return "released";
    case Event::Kind::clock_jumped:
      return "clock_jumped";
  }
  return "unknown";
}

std::string_view to_string(FleetEvent::Kind kind) {
  switch (kind) {
    case FleetEvent::Kind::acquired:
      return "acquired";
    case FleetEvent::Kind::uncertain:
      return "uncertain";
    case FleetEvent::Kind::certain:
      return "certain";
    case FleetEvent::Kind::ending:
      return "ending";
    case FleetEvent::Kind::ended:
      return "ended";
    case FleetEvent::Kind::instances:
      return "instances";
    case FleetEvent::Kind::sessions:
      return "sessions";
    case FleetEvent::Kind::not_open:
      return "not_open";
    case FleetEvent::Kind::open:
      return "open";
  }
  return "unknown";
}

std::string_view to_string(SessionEnd reason) {
  switch (reason) {
    case SessionEnd::rebalance:
      return "rebalance";
    case SessionEnd::removed:
      return "removed";
    case SessionEnd::released:
      return "released";
    case SessionEnd::stopped:
      return "stopped";
    case SessionEnd::not_renewed:
      return "not_renewed";
    case SessionEnd::missing:
      return "missing";
    case SessionEnd::taken:
      return "taken";
    case SessionEnd::closed:
      return "closed";
  }
  return "unknown";
}

std::string to_string(const Refusal& refusal) {
  return std::string(to_string(refusal.code)) + ": " + refusal.message;
}

}  // namespace tenure
