#include "consul/net/link.hpp"

#include <algorithm>
#include <utility>

#include "core/base/overload.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::consul {

namespace {

constexpr Owner of_admission{0};
// An agent takes some hundred connections from one host, whoever they are of there. What holders ask for is not counted: there is no
// more of that than leases, and a renewal that waits behind those who want a name loses one.
constexpr std::ptrdiff_t under_way_max = 16;

bool is_of_holder(const core::Request& request) {
  return std::holds_alternative<core::RenewRequest>(request) ||
         std::holds_alternative<core::ReassertRequest>(request) ||
         std::holds_alternative<core::ReleaseRequest>(request);
}

Owner owner_of(core::RequestId id) { return Owner{static_cast<std::uint64_t>(id) + 1}; }

core::Failure unsupported(std::string why) {
  return {core::Applied::no, core::FailureCode::unsupported, std::move(why)};
}

Task<core::Reply> answer(core::Reply reply) { co_return reply; }

// Keys end by timers of the leader that nobody can set, so that no clock there frees a lease early: what is watched for jumps is our
// own clock, which has none.
core::Reply clock(core::Time now) {
  static const core::Duration offset =
      std::chrono::milliseconds(runtime::wall_now_ms()) - now.time_since_epoch();
  return core::NodeClock{offset + now.time_since_epoch()};
}

}  // namespace

Link::Link(core::NodeIndex node, std::shared_ptr<Shared> shared)
    : node_(node), shared_(std::move(shared)), talk_(shared_->place().server, shared_->place().header) {}

Desk Link::desk_for(Owner owner, bool& wrote, core::Time now) {
  return {owner, talk_, maker_, *shared_, standing_, admitted_, wrote, now};
}

void Link::ask(core::RequestId id, core::Request request, core::Time now, runtime::News& /*news*/) {
  auto keys = keys_of(request);
  turns_.join(id, keys);
  auto wanted = wanted_of(request);
  asked_.push_back({id, std::move(request), std::move(keys), std::move(wanted), now});
}

std::vector<Link::Wanted> Link::wanted_of(const core::Request& request) {
  if (const auto* acquire = std::get_if<core::AcquireRequest>(&request)) {
    return {{acquire->key, acquire->grant, acquire->ttl, false}};
  }
  if (const auto* release = std::get_if<core::ReleaseRequest>(&request)) {
    return {{release->key, release->grant, {}, true}};
  }
  std::vector<Wanted> wanted;
  if (const auto* reassert = std::get_if<core::ReassertRequest>(&request)) {
    for (const core::Holding& it : reassert->items)
      wanted.push_back({it.key, it.grant, reassert->ttl, false});
  }
  return wanted;
}

void Link::flush(runtime::News& news) { go_on(news); }

void Link::on_ready(core::Time /*now*/, runtime::News& news) {
  talk_.on_ready();
  go_on(news);
}

void Link::go_on(runtime::News& news) {
  do {
    maker_.go_on();
    end_admission(news);
    // Before an answer there is the record by which it was given.
    for (core::Record& record : std::exchange(admitted_, {}))
      news.admitted.push_back({node_, std::move(record)});
  } while (tell_those_done(news) || begin_those_who_may());
  // This machine had no descriptor left for a call: that is known without one.
  if (talk_.busy_without_descriptor()) on_ready({}, news);
}

void Link::begin_admission() {
  admission_.emplace(admit(desk_for(of_admission, admission_wrote_, {})));
  admission_->start();
}

void Link::end_admission(runtime::News& news) {
  if (!admission_ || !admission_->done()) return;
  const Done done = admission_->take();
  admission_.reset();
  if (!done) drop(done.error(), news);
}

bool Link::begin_those_who_may() {
  if (asked_.empty() || admission_) return false;
  if (!standing_.stored) {
    begin_admission();
    return true;
  }
  bool begun = false;
  for (Asked& it : asked_) {
    if (!is_of_holder(it.request) || it.work || !turns_.may_go(it.id, it.keys)) continue;
    begin(it);
    begun = true;
  }
  auto under_way = std::ranges::count_if(
      asked_, [](const Asked& it) { return it.work.has_value() && !is_of_holder(it.request); });
  for (Asked& it : asked_) {
    if (under_way >= under_way_max) break;
    if (it.work || !turns_.may_go(it.id, it.keys)) continue;
    begin(it);
    under_way += 1;
    begun = true;
  }
  return begun;
}

void Link::begin(Asked& asked) {
  const Desk desk = desk_for(owner_of(asked.id), asked.wrote, asked.now);
  using Work = Task<core::Reply>;
  const auto no_fleets = [] { return answer(unsupported("a Consul keeps no data of fleets")); };
  asked.work.emplace(std::visit(
      core::Overload{[&](core::AcquireRequest& it) -> Work { return acquire(desk, std::move(it)); },
                     [&](core::RenewRequest& it) -> Work { return renew(desk, std::move(it)); },
                     [&](core::ReassertRequest& it) -> Work { return reassert(desk, std::move(it)); },
                     [&](core::ReleaseRequest& it) -> Work { return release(desk, std::move(it)); },
                     [&](core::OpenRequest& it) -> Work { return open(desk, std::move(it)); },
                     [&](core::LookRequest& it) -> Work {
                       auto known = observer_.known(it.keys, asked.now);
                       return known ? answer(std::move(*known)) : look(desk, std::move(it));
                     },
                     [&](core::ClockRequest&) -> Work { return answer(clock(asked.now)); },
                     [&](core::ConfirmRequest&) -> Work {
                       return answer(unsupported("a Consul is one node, whose token needs no confirmation"));
                     },
                     [&](core::BeatRequest&) -> Work { return no_fleets(); },
                     [&](core::ListsRequest&) -> Work { return no_fleets(); }},
      asked.request));
  asked.work->start();
}

bool Link::tell_those_done(runtime::News& news) {
  bool told = false;
  for (auto it = asked_.begin(); it != asked_.end();) {
    const auto here = it++;
    if (!here->work || !here->work->done()) continue;
    core::Reply reply = here->work->take();
    if (const auto* failure = std::get_if<core::Failure>(&reply)) {
      doubt(*here, failure->applied);
    }
    end(here, std::move(reply), news);
    told = true;
  }
  return told;
}

void Link::end(Place asked, core::Reply reply, runtime::News& news) {
  const core::RequestId id = asked->id;
  talk_.cancel(owner_of(id));
  turns_.leave(id, asked->keys);
  asked_.erase(asked);
  maker_.cancel(owner_of(id));
  news.answers.push_back({id, std::move(reply)});
}

// What was asked for, and may be given yet; and what was to be released, and may be locked yet.
void Link::doubt(const Asked& asked, core::Applied applied) {
  for (const Wanted& it : asked.wanted) {
    if (it.release) {
      shared_->doubt_release(it.key, it.grant, asked.now);
    } else if (asked.wrote && applied == core::Applied::perhaps) {
      shared_->doubt(it.key, it.grant, it.ttl);
    }
  }
}

void Link::give_up(core::RequestId id, const core::Failure& why, runtime::News& news) {
  const auto found = std::ranges::find(asked_, id, &Asked::id);
  if (found == asked_.end()) return;
  doubt(*found, core::Applied::perhaps);
  core::Failure failure = why;
  if (!found->work) {
    failure.applied = core::Applied::no;
    // It may be the agent's connection that hangs: the next request has another one.
    talk_.cancel(of_admission);
    admission_.reset();
  }
  end(found, std::move(failure), news);
  go_on(news);
}

void Link::drop(const core::Failure& why, runtime::News& news) {
  for (const Asked& it : asked_) {
    doubt(it, core::Applied::perhaps);
    core::Failure failure = why;
    if (!it.work) failure.applied = core::Applied::no;
    news.answers.push_back({it.id, std::move(failure)});
  }
  end_all();
}

void Link::end_all() {
  // No coroutine outlives what it looks at.
  talk_.close();
  admission_.reset();
  asked_.clear();
  observer_.clear();
  maker_.clear();
  turns_ = {};
  admitted_.clear();
  standing_ = {};
}

runtime::Awaited Link::awaited() const { return talk_.awaited(); }

bool Link::carries(core::RequestId id) const {
  return std::ranges::find(asked_, id, &Asked::id) != asked_.end();
}

}  // namespace tenure::consul
