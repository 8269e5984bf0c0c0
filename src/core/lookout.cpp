#include "core/lookout.hpp"

#include <algorithm>
#include <utility>

#include "core/action.hpp"
#include "core/check.hpp"

namespace tenure::core {

namespace {

using std::chrono::milliseconds;

}  // namespace

void Lookout::watch(WatchId id, std::string key, Duration every, Duration node_timeout, Time now) {
  const auto [it, added] = watched_.try_emplace(id, Watched{std::move(key), every, node_timeout});
  must(added, "a name is watched once under one id");
  look_at(id, it->second, now);
}

void Lookout::unwatch(WatchId id) {
  const auto found = watched_.find(id);
  must(found != watched_.end(), "only what is watched can be watched no more");
  look_at(id, found->second, std::nullopt);
  watched_.erase(found);
}

void Lookout::look_at(WatchId id, Watched& watched, std::optional<Time> when) {
  if (watched.next) next_.erase({*watched.next, id});
  watched.next = when;
  if (when) next_.emplace(*when, id);
}

void Lookout::on_timer(Time now, Outbox& out) {
  for (auto it = asked_.begin(); it != asked_.end();) {
    const auto [request, id] = *it;
    Look& look = looks_.at(id);
    if (now < look.ends_at) {
      ++it;
      continue;
    }
    it = asked_.erase(it);
    const auto unanswered = look.unanswered.extract(request);
    out.drop(unanswered.mapped(), request);
    on_answer(id, unanswered.mapped(), silence, now, out);
  }
  if (next_.empty() || next_.begin()->first > now) return;
  // Who is due soon comes along: one call for many.
  std::map<Duration, std::vector<WatchId>> due;  // by how long they wait for a node
  for (const auto& [when, id] : next_) {
    const Watched& watched = watched_.at(id);
    if (when > now + watched.every / 8) break;
    due[watched.node_timeout].push_back(id);
  }
  for (auto& [node_timeout, watches] : due) {
    for (std::size_t from = 0; from < watches.size(); from += look_size_max) {
      const auto begin = watches.begin() + static_cast<std::ptrdiff_t>(from);
      const auto size = static_cast<std::ptrdiff_t>(std::min(look_size_max, watches.size() - from));
      look({begin, begin + size}, node_timeout, now, out);
    }
  }
}

std::optional<Time> Lookout::wake() const {
  std::optional<Time> first;
  if (!next_.empty()) first = next_.begin()->first;
  for (const auto& [id, look] : looks_) first = sooner(first, look.ends_at);
  return first;
}

void Lookout::look(const std::vector<WatchId>& watches, Duration node_timeout, Time now, Outbox& out) {
  LookRequest request;
  for (const WatchId id : watches) {
    Watched& watched = watched_.at(id);
    request.keys.push_back(watched.key);
    look_at(id, watched, std::nullopt);
  }
  const LookId id = ++last_;
  Look& look = looks_[id];
  look.watches.assign(watches.begin(), watches.end());
  look.answers.resize(nodes_);
  look.ends_at = now + node_timeout;
  for (NodeIndex node = 0; node < nodes_; ++node) {
    const RequestId sent = out.send(node, request, node_timeout);
    look.unanswered.emplace(sent, node);
    asked_.emplace(sent, id);
  }
}

void Lookout::on_reply(RequestId request, const Reply& reply, Time now, Outbox& out) {
  const auto asked = asked_.extract(request);
  must(!asked.empty(), "a reply belongs to a look that waits for it");
  const auto unanswered = looks_.at(asked.mapped()).unanswered.extract(request);
  on_answer(asked.mapped(), unanswered.mapped(), reply, now, out);
}

void Lookout::on_answer(LookId id, NodeIndex node, const Reply& reply, Time now, Outbox& out) {
  Look& look = looks_.at(id);
  const auto* sights = std::get_if<Sights>(&reply);
  const auto* failure = std::get_if<Failure>(&reply);
  if (sights != nullptr && sights->size() == look.watches.size()) {
    look.answers[node] = *sights;
  } else {
    look.failures.push_back({node, failure != nullptr ? *failure : misfit});
  }
  // Each name for itself: one that changes hands must not keep the others waiting for a silent node.
  for (std::size_t i = 0; i < look.watches.size(); ++i) {
    if (!look.watches[i]) continue;
    const View view = view_of(sights_of(look.answers, i));
    if (view.decided || look.unanswered.empty())
      tell(*std::exchange(look.watches[i], std::nullopt), view, look.failures, now, out);
  }
  if (look.unanswered.empty()) looks_.erase(id);
}

void Lookout::tell(WatchId id, const View& view, const std::vector<NodeFailure>& failures, Time now,
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
    if (!watched.told || watched.seen != view.holder) out.tell(Seen{id, view.holder, view.value});
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
