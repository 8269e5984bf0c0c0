#include "cli/supervise/elect_events.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>

#include "cli/json.hpp"
#include "cli/message.hpp"
#include "core/base/text.hpp"
#include "runtime/net/event_descriptor.hpp"

namespace tenure::cli {

namespace {

Json begin_event(const std::string& kind, const std::string& name) {
  Json json;
  json.open_object().key("event").text(kind).key("name").text(name);
  return json;
}

std::string end_event(Json json) { return json.close_object().written(); }

std::int64_t number(std::uint64_t term) { return static_cast<std::int64_t>(term); }

}  // namespace

ElectEvents::ElectEvents(std::string name, bool json, Pulse* pulse)
    : name_(std::move(name)), json_(json), pulse_(pulse), wake_(runtime::make_event_descriptor()) {}

void ElectEvents::elected(std::uint64_t term) {
  write(json_ ? end_event(begin_event("elected", name_).key("term").number(number(term)))
              : "elected term=" + std::to_string(term));
}

void ElectEvents::lost(const TermEnd& end) {
  const std::string reason(to_string(end.reason));
  if (json_) {
    write(end_event(begin_event("lost", name_)
                        .key("term")
                        .number(number(end.term))
                        .key("reason")
                        .text(reason)
                        .key("drained")
                        .boolean(end.drained)));
  } else {
    write("lost reason=" + reason + " term=" + std::to_string(end.term));
  }
}

void ElectEvents::leader(const std::optional<Leader>& now) {
  if (json_) {
    Json json = begin_event(now ? "leader" : "no_leader", name_);
    if (now) json.key("id").text(now->id).key("term").number(number(now->term));
    write(end_event(std::move(json)));
  } else {
    write(now ? "leader id=" + core::printable(now->id) + " term=" + std::to_string(now->term) : "no leader");
  }
}

// Waits for whoever reads, and after the end was asked for a moment longer: a terminal may be held for ever (Ctrl-S).
bool ElectEvents::can_write() {
  std::array<pollfd, 2> ready{{{STDOUT_FILENO, POLLOUT, 0}, {wake_.get(), POLLIN, 0}}};
  while (::poll(ready.data(), ready.size(), -1) < 0) {
  }
  return ready[0].revents != 0 || ::poll(ready.data(), 1, 1'000) > 0;
}

void ElectEvents::write(const std::string& line) {
  const Turn turn(pulse_);
  if (unread_ || write_line(line, [this] { return can_write(); })) return;
  unread_ = true;
  eventfd_write(wake_.get(), 1);
}

void ElectEvents::wait(const std::stop_token& stop, const Notify& notify) {
  const std::stop_callback on_stop(stop, [this] { eventfd_write(wake_.get(), 1); });
  while (!unread_ && !stop.stop_requested()) {
    // A pipe that has lost its reader is an error also when nothing is written to it.
    std::array<pollfd, 2> ready{{{wake_.get(), POLLIN, 0}, {STDOUT_FILENO, 0, 0}}};
    if (::poll(ready.data(), ready.size(), notify.at_most(-1)) > 0 && ready[1].revents != 0) unread_ = true;
    notify.beat();
  }
}

}  // namespace tenure::cli
