#include "core/lease/holder_watch.hpp"

#include <algorithm>
#include <utility>

#include "core/action.hpp"
#include "core/base/check.hpp"

namespace tenure::core {

namespace {

using std::chrono::milliseconds;

}  // namespace

void HolderWatch::watch(WatchId id, std::string key, Duration every, Duration node_timeout, Time now) {
  const auto [it, added] = watched_.try_emplace(id, Watched{std::move(key), every, node_timeout});
  must(added, "a name is watched once under one id");
  look_at(id, it->second, now);
}

void HolderWatch::unwatch(WatchId id) {
  const auto found = watched_.find(id);
  must(found != watched_.end(), "only what is watched can be watched no more");
  look_at(id, found->second, std::nullopt);
  watched_.erase(found);
}

void HolderWatch::look_at(WatchId id, Watched& watched, std::optional<Time> when) {
  if (watched.next) next_.erase({*watched.next, id});
  watched.next = when;
  if (when) next_.emplace(*when, id);
}

void HolderWatch::on_timer(Time now, Outbox& out) {
  for (const MajorityReads::Id id : reads_.on_timer(now, out)) on_answer(id, now, out);
  if (next_.empty() || next_.begin()->first > now) return;
  // Who is due soon comes along: one call for many.
  std::map<Duration, std::vector<WatchId>> due;  // by how long they wait for a node
  for (const auto& [when, id] : next_) {
    const Watched& watched = watched_.at(id);
    if (when > now + watched.every / 8) break;
    due[watched.node_timeout].push_back(id);
  }
  for (auto& [node_timeout, watches] : due) {
    for (std::size_t from = 0; from < watches.size(); from += batch_max_.leases) {
      const auto begin = watches.begin() + static_cast<std::ptrdiff_t>(from);
      const auto size = static_cast<std::ptrdiff_t>(std::min(batch_max_.leases, watches.size() - from));
      read({begin, begin + size}, node_timeout, now, out);
    }
  }
}

std::optional<Time> HolderWatch::wake() const {
  const auto first = reads_.wake();
  return next_.empty() ? first : sooner(first, next_.begin()->first);
}

void HolderWatch::read(const std::vector<WatchId>& watches, Duration node_timeout, Time now, Outbox& out) {
  std::vector<std::string> keys;
  for (const WatchId id : watches) {
    Watched& watched = watched_.at(id);
    keys.push_back(watched.key);
    look_at(id, watched, std::nullopt);
  }
  asked_[reads_.ask(std::move(keys), node_timeout, now, out)].assign(watches.begin(), watches.end());
}

void HolderWatch::on_reply(RequestId request, const Reply& reply, Time now, Outbox& out) {
  const auto read = reads_.on_reply(request, reply);
  must(read.has_value(), "a reply belongs to a read that waits for it");
  on_answer(*read, now, out);
}

void HolderWatch::on_answer(MajorityReads::Id id, Time now, Outbox& out) {
  const MajorityRead& read = reads_.at(id);
  Asked& asked = asked_.at(id);
  // Each name for itself: one that changes hands must not keep the others waiting for a silent node.
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (!asked[i]) continue;
    const View view = read.view(i);
    if (view.decided || read.complete())
      tell(*std::exchange(asked[i], std::nullopt), view, read.failures(i), now, out);
  }
  if (!read.complete()) return;
  asked_.erase(id);
  reads_.end(id, out);
}

void HolderWatch::tell(WatchId id, const View& view, const std::vector<NodeFailure>& failures, Time now,
                       Outbox& out) {
  const auto found = watched_.find(id);
  if (found == watched_.end()) return;  // nobody wants to know any more
  Watched& watched = found->second;
  const bool blind = failures.size() > nodes_ - quorum_of(nodes_);
  if (blind && !watched.blind) out.tell(Unseen{id, failures});
  watched.blind = blind;
  // Where too few answer, what was seen last stands until it must have run out.
  const bool unknown = !view.decided && now < watched.seen_until;
  if (!unknown) {
    if (!watched.told || watched.seen != view.holder) out.tell(Seen{id, view.holder, view.grant});
    watched.told = true;
    watched.seen = view.holder;
    watched.seen_until = view.holder ? now + view.left : long_ago;
  }
  Duration pause = watched.every;
  if (view.holder) pause = std::min<Duration>(pause, view.left + milliseconds(2));
  // Somebody is about to take it.
  if (view.decided && !view.holder) pause = watched.every / 4;
  look_at(id, watched, now + pause);
}

}  // namespace tenure::core
