// What happens to clients and on their ways to the nodes.
#include <csignal>
#include <stdexcept>

#include "faults/injector.hpp"
#include "runtime/boot_clock.hpp"

namespace tenure::faults {

namespace {

constexpr std::chrono::milliseconds delay_min{20};
constexpr std::uint64_t delay_more_ms = 230;
constexpr std::uint64_t replayed_max = 60;

}  // namespace

bool Injector::begin_on_client(const Fault& fault) {
  Worker& client = world_.client(fault.whom);
  switch (fault.kind) {
    case Kind::stop_client:
      return client.stop_all();
    case Kind::stop_supervisor:
      client.signal(SIGSTOP);
      return true;
    case Kind::cut_client:
      set(fault, {.cut = true});
      return true;
    case Kind::lose_answers:
      set(fault, {.answers_held = true});
      return true;
    case Kind::lose_requests:
      set(fault, {.requests_held = true});
      return true;
    case Kind::hold:
      set(fault, {.requests_held = true, .answers_held = true});
      return true;
    case Kind::replay:
      for (const auto& way : ways(fault)) world_.proxy().replay(way, 1 + (fault.detail >> 16) % replayed_max);
      return true;
    case Kind::delay:
      set(fault, {.delay = delay_min + std::chrono::milliseconds((fault.detail >> 16) % delay_more_ms)});
      return true;
    case Kind::split:
      set(fault, {.single_bytes = true});
      return true;
    case Kind::kill_client:
      client.rest_until(runtime::boot_now() + fault.length);
      client.kill_all();
      return true;
    case Kind::kill_supervisor:
      client.rest_until(runtime::boot_now() + fault.length);
      client.signal(SIGKILL);
      return true;
    case Kind::end_client:
      client.rest_until(runtime::boot_now() + fault.length);
      client.signal(SIGTERM);
      return true;
    default:
      throw std::logic_error("this does not happen to clients");
  }
}

void Injector::end_on_client(const Fault& fault) {
  Worker& client = world_.client(fault.whom);
  switch (fault.kind) {
    case Kind::stop_client:
      if (auto stop = client.continue_all()) stops_.push_back(std::move(*stop));
      break;
    case Kind::stop_supervisor:
      client.signal(SIGCONT);
      break;
    case Kind::lose_answers:
    case Kind::lose_requests:
      for (const auto& way : ways(fault)) world_.proxy().lose(way);
      set(fault, {});
      break;
    case Kind::cut_client:
    case Kind::hold:
    case Kind::delay:
    case Kind::split:
      set(fault, {});
      break;
    default:
      break;  // what was killed is started again when it is due
  }
}

std::vector<test::Proxy::Way> Injector::ways(const Fault& fault) const {
  const Crowd& crowd = world_.crowd();
  std::vector<test::Proxy::Way> ways;
  // Of the nodes at least one, or where it is to be cut off all but one at most.
  const std::size_t spared = fault.detail % (crowd.nodes + 1);
  for (std::size_t node = 0; node < crowd.nodes; ++node) {
    const bool chosen = fault.kind == Kind::cut_client
                            ? node != spared
                            : node == spared || ((fault.detail >> (8 + node)) & 1) != 0;
    if (chosen) ways.push_back({fault.whom, node});
  }
  const bool data_too = !crowd.alone() && ((fault.detail >> 15) % 2 == 1 || ways.empty());
  if (crowd.role(fault.whom) == Role::instance && data_too) ways.push_back({fault.whom, crowd.data()});
  if (ways.empty()) ways.push_back({fault.whom, 0});
  return ways;
}

void Injector::set(const Fault& fault, const test::Weather& weather) {
  for (const auto& way : ways(fault)) world_.proxy().set(way, weather);
}

}  // namespace tenure::faults
