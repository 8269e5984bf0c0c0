#include <string_view>

#include "tenure/poller.hpp"
#include "tenure/session.hpp"

namespace tenure {

std::string_view to_string(PollEvent::Kind kind) {
  switch (kind) {
    case PollEvent::Kind::started:
      return "started";
    case PollEvent::Kind::polled:
      return "polled";
    case PollEvent::Kind::failed:
      return "failed";
    case PollEvent::Kind::recovered:
      return "recovered";
    case PollEvent::Kind::refused:
      return "refused";
    case PollEvent::Kind::bad_session:
      return "bad_session";
    case PollEvent::Kind::good_session:
      return "good_session";
    case PollEvent::Kind::source_away:
      return "source_away";
    case PollEvent::Kind::source_back:
      return "source_back";
    case PollEvent::Kind::results_dropped:
      return "results_dropped";
    case PollEvent::Kind::results_back:
      return "results_back";
  }
  return "unknown";
}

std::string_view to_string(StoredSessionsOptions::Find find) {
  switch (find) {
    case StoredSessionsOptions::Find::scan:
      return "scan";
    case StoredSessionsOptions::Find::index:
      return "index";
  }
  return "unknown";
}

}  // namespace tenure
