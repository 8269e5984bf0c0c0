#include "consul/net/observer.hpp"

#include <iterator>

#include "consul/lease_text.hpp"
#include "core/base/number.hpp"
#include "runtime/boot_clock.hpp"

namespace tenure::consul {

namespace {

using std::chrono::seconds;

constexpr Owner of_observer{~std::uint64_t{0}};
// The shortest time that a lease can have: for so long an observer may believe what is no more.
constexpr const char* wait = "&wait=10s";
// Looks that are further apart are looks of their own.
constexpr core::Duration often = seconds(5);
// Nobody looks any more.
constexpr core::Duration forgotten_after = seconds(30);
// Each has a connection of its own at the agent.
constexpr std::size_t keys_max = 8;

}  // namespace

std::optional<core::KeyStates> Observer::known(const std::vector<std::string>& keys, core::Time now) {
  sweep(now);
  std::optional<core::KeyStates> states(std::in_place);
  for (const std::string& key : keys) {
    const auto found = seen_.find(key);
    if (found == seen_.end()) {
      if (seen_.size() < keys_max) seen_[key].looked = now;
      states.reset();
      continue;
    }
    Seen& seen = found->second;
    seen.looked = now;
    if (!seen.observing) {
      seen.fresh = false;
      seen.observing.emplace(observe(key, seen));
      seen.observing->start();
    }
    if (!seen.fresh) states.reset();
    if (states) states->push_back(seen.state);
  }
  return states;
}

// Until something goes wrong, or nobody looks.
Task<bool> Observer::observe(std::string key, Seen& seen) {
  Index index = 0;
  while (true) {
    std::string target = "/v1/kv/" + http_client::url_escaped(key);
    if (index > 0) target += "?index=" + std::to_string(index) + wait;
    auto asked = talk_.call(of_observer, "GET", std::move(target));
    asked.request.timeout = seconds(12);
    const auto answer = co_await asked;
    seen.fresh = false;
    if (!answer || (answer->status != 200 && answer->status != 404)) co_return false;
    seen.state = {};
    if (answer->status == 200) {
      const auto entry = read_entry(answer->body);
      if (!entry) co_return false;
      if (*entry) seen.state = key_state(**entry);
    }
    const auto header = answer->headers.find("x-consul-index");
    const Index next =
        header == answer->headers.end() ? 0 : core::read_number<Index>(header->second).value_or(0);
    if (next == 0) co_return false;
    // Numbers that go back begin again.
    index = next < index ? 0 : next;
    seen.fresh = index > 0;
    if (runtime::boot_now() - seen.looked > forgotten_after) co_return true;
  }
}

void Observer::sweep(core::Time now) {
  for (auto it = seen_.begin(); it != seen_.end();) {
    Seen& seen = it->second;
    if (seen.observing && seen.observing->done()) seen.observing.reset();
    const bool forgotten = !seen.observing && now - seen.looked > often;
    it = forgotten ? seen_.erase(it) : std::next(it);
  }
}

}  // namespace tenure::consul
