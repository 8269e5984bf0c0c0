#include "redis/net/cluster_link.hpp"

#include <poll.h>

#include <algorithm>
#include <utility>

namespace tenure::redis {

using core::Applied;
using core::Failure;
using core::FailureCode;

namespace {

constexpr runtime::ReadySet::Key of_search = ~runtime::ReadySet::Key{0};
constexpr runtime::ReadySet::Key of_timer = of_search - 1;

}  // namespace

ClusterLink::ClusterLink(core::NodeIndex node, const Address& address, Router::Us us, const runtime::Tls& tls,
                         SharedView view, core::Duration patience)
    : node_(node),
      address_(address),
      tls_(tls),
      view_(std::move(view)),
      patience_(patience),
      // Before the core gives up on a request, so that a server which is silent keeps only what it has to answer.
      router_(std::move(us), {.idle_max = idle_max, .answers_within = patience - patience / 4}) {}

void ClusterLink::ask(core::RequestId id, core::Request request, core::Time now, runtime::News& news) {
  now_ = now;
  if (!ready_) ready_ = runtime::ReadySet();
  if (!ready_) {
    news.answers.push_back({id, runtime::no_descriptor()});
    return;
  }
  look_at_idle();
  // Nobody is given up on before the first map, however long a dial takes. Whoever asked then has given up by now, and the network
  // may be back long before that dial is.
  if (search_ && now - search_began_ >= 2 * patience_) search_.reset();
  router_.ask(id, std::move(request), now, heard_);
  tell(news);
}

// Nobody listens to an idle connection. Its server may have closed it long ago, or have been demoted and promoted again meanwhile,
// which closes no connection: what it was admitted to may be gone.
void ClusterLink::look_at_idle() {
  for (auto& [server, line] : lines_) {
    if (!line->wire.connected() || now_ - line->used < idle_max || router_.waits_for(server)) continue;
    end(server, {Applied::no, FailureCode::closed, "the connection was idle"});
  }
}

void ClusterLink::flush(runtime::News& news) { go_on(news); }

void ClusterLink::on_ready(core::Time now, runtime::News& news) {
  now_ = now;
  for (const runtime::ReadySet::Key key : ready_.ready()) {
    if (key == of_search) {
      if (search_) step_search();
    } else if (key == of_timer) {
      timer_due_.reset();
      timer_ = {};
    } else if (const auto line = lines_.find(static_cast<Router::ServerId>(key)); line != lines_.end()) {
      hear(line->first, *line->second);
    }
  }
  for (const auto server : router_.overdue(now, heard_)) end(server, core::silence);
  go_on(news);
}

void ClusterLink::go_on(runtime::News& news) {
  router_.flush();
  do {
    tend_map();
    for (const auto server : router_.stirred()) speak(server);
  } while (has_more_to_do());
  set_timer();
  watch();
  tell(news);
}

// What failed just now may have let something else go on.
bool ClusterLink::has_more_to_do() const {
  if (router_.wants_map() && !search_) return true;
  return std::ranges::any_of(router_.stirred(), [&](Router::ServerId server) {
    const auto line = lines_.find(server);
    if (line == lines_.end() || line->second->wire.idle()) return true;
    return line->second->wire.connected() && router_.has_commands(server);
  });
}

void ClusterLink::tend_map() {
  if (!router_.wants_map()) return;
  // Another connection may have asked meanwhile, later than our own question.
  if (view_->asked > map_taken_ && (!search_ || view_->asked >= search_began_)) {
    search_.reset();
    take_map(view_->map, view_->asked);
  }
  if (!router_.wants_map() || search_) return;
  search_began_ = now_;
  search_.emplace(
      address_, tls_, lookups_, router_.map().masters(),
      ClusterMapSearch::Limits{.patience = patience_, .gives_up_unanswered = router_.map().served() > 0});
  step_search();
}

void ClusterLink::step_search() {
  auto map = search_->step();
  if (map && !*map) return;
  search_.reset();
  if (!map) return router_.on_no_map(map.error(), now_, heard_);
  if (search_began_ > view_->asked) *view_ = {**map, search_began_};
  take_map(std::move(**map), search_began_);
}

void ClusterLink::take_map(SlotMap map, core::Time asked) {
  map_taken_ = asked;
  router_.on_map(std::move(map), asked, now_, heard_);
  for (auto& [server, line] : lines_) {
    if (!line->wire.idle() && !router_.serves(server) && !router_.waits_for(server))
      end(server, {Applied::no, FailureCode::closed, "it serves nothing any more"});
  }
}

ClusterLink::Line& ClusterLink::line_to(Router::ServerId server) {
  auto& line = lines_[server];
  if (!line) line = std::make_unique<Line>(server_of(address_, router_.where(server)), tls_, patience_);
  return *line;
}

void ClusterLink::speak(Router::ServerId server) {
  Line& line = line_to(server);
  if (line.wire.idle()) {
    line.wire.dial();
    return on_dialing(server, line);
  }
  if (!line.wire.connected()) return;
  line.used = now_;
  line.wire.say(router_.take_commands(server));
  if (const auto done = line.wire.flush(); !done) end(server, done.error());
}

void ClusterLink::on_dialing(Router::ServerId server, Line& line) {
  const auto connected = line.wire.on_dialing();
  if (!connected) return end(server, connected.error());
  if (!*connected) return;
  line.used = now_;
  router_.on_open(server);
  line.wire.say(router_.take_commands(server));
  if (const auto done = line.wire.flush(); !done) end(server, done.error());
}

void ClusterLink::hear(Router::ServerId server, Line& line) {
  if (line.wire.dialing()) return on_dialing(server, line);
  if (!line.wire.connected()) return;
  line.used = now_;
  if (const auto done = line.wire.flush(); !done) return end(server, done.error());
  std::vector<Value> values;
  const auto read = line.wire.read(values);
  for (const Value& value : values) {
    if (const auto heard = router_.on_value(server, value, now_, heard_); !heard)
      return end(server, heard.error());
  }
  if (!read) end(server, read.error());
}

void ClusterLink::end(Router::ServerId server, const Failure& why) {
  ready_.watch(server, {});
  line_to(server).wire.close();
  router_.on_end(server, why, now_, heard_);
}

void ClusterLink::drop(const Failure& why, runtime::News& news) {
  for (auto& [server, line] : lines_) {
    ready_.watch(server, {});
    line->wire.close();
  }
  search_.reset();
  router_.drop(why, heard_);
  set_timer();
  watch();
  tell(news);
}

void ClusterLink::give_up(core::RequestId id, const Failure& why, runtime::News& news) {
  for (const auto server : router_.give_up(id, why, heard_)) end(server, why);
  go_on(news);
}

void ClusterLink::set_timer() {
  const auto due = router_.wake();
  if (due == timer_due_) return;
  timer_due_ = due;
  timer_ = due ? runtime::timer_after(*due - now_) : runtime::Descriptor();
}

void ClusterLink::watch() {
  for (const auto& [server, line] : lines_) {
    // Of a name with several addresses each is tried with a socket of its own.
    ready_.watch(server, line->wire.awaited(), line->wire.dialing());
  }
  ready_.watch(of_search, {search_ ? search_->fd() : -1, POLLIN}, true);
  ready_.watch(of_timer, {timer_.get(), POLLIN}, true);
}

void ClusterLink::tell(runtime::News& news) {
  for (auto& [id, reply] : heard_.answers) news.answers.push_back({id, std::move(reply)});
  for (auto& [record, part] : heard_.admitted) news.admitted.push_back({node_, std::move(record), part});
  heard_.answers.clear();
  heard_.admitted.clear();
}

runtime::Awaited ClusterLink::awaited() const {
  const short out = ready_.writes() ? short{POLLOUT} : short{0};
  return {ready_.fd(), static_cast<short>(POLLIN | out), connection_};
}

}  // namespace tenure::redis
