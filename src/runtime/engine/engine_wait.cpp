// The engine's other half: who waits, who polls, and how the role passes on.
#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/base/check.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/instance_id.hpp"
#include "runtime/net/event_descriptor.hpp"
#include "runtime/timespec.hpp"

namespace tenure::runtime {

namespace {

void clear(const Descriptor& kick) {
  eventfd_t count = 0;
  eventfd_read(kick.get(), &count);
}

// A client that closes waits at most this long for its last releases to be answered.
constexpr core::Duration settle_max = std::chrono::seconds(1);
// And this long for a minority that is silent: what it holds is no lease, and lapses by itself.
constexpr core::Duration settle_minority_max = std::chrono::milliseconds(100);

}  // namespace

Engine::Engine(ClientOptions options)
    : pid_(getpid()),
      options_(std::move(options)),
      random_(random_from_kernel()),
      agent_({options_.owner, options_.nodes.size(), options_.keyspace.terms()}, random_from_kernel()),
      kick_(make_event_descriptor()),
      kick_hidden_(make_event_descriptor()),
      thread_([this] { serve(); }) {}

// In a child its mutexes may be locked for ever, and its thread is not there: nothing of it can be taken apart.
std::shared_ptr<Engine> Engine::make(ClientOptions options) {
  return {new Engine(std::move(options)), [](Engine* engine) {
            if (!engine->forked()) delete engine;
          }};
}

// After fork() there is no hidden thread in the child, and both would draw the same nonces.
bool Engine::forked() const { return getpid() != pid_; }

Engine::~Engine() {
  {
    Hold hold(*this);
    settle(hold);
    stopping_ = true;
  }
  eventfd_write(kick_hidden_.get(), 1);
  thread_.join();
}

void Engine::Hold::unlock() {
  if (!lock_) return;
  engine_.pass_on();
  const auto ended = std::exchange(engine_.ended_, {});
  lock_.unlock();
  for (Call* call : ended) call->waker.wake(Waker::done);
}

// A release that was sent but not read by Redis could be lost with the connection.
void Engine::settle(Hold& hold) {
  Call call;
  const core::Time begin = boot_now();
  while (!agent_.tenant().idle() && links_waiting()) {
    const core::Time end = begin + (majority_waits() ? settle_max : settle_minority_max);
    const core::Duration left = end - boot_now();
    if (left <= core::Duration::zero()) return;
    if (poller_ == nullptr) {
      poll_links(hold, call, left);
    } else {
      follow(hold, call, left);
    }
  }
}

// False when stop was asked for before the call was done. It may be done with the mutex locked or not.
bool Engine::wait(Hold& hold, Call& call, const std::stop_token& stop, const AcquireOptions* options) {
  while (!call.done) {
    if (stop.stop_requested()) return false;
    if (const auto why = std::exchange(call.waiting, std::nullopt)) {
      if (options == nullptr || !options->on_waiting) continue;
      hold.unlock();
      options->on_waiting(*why);
      hold.lock();
      continue;
    }
    if (poller_ == nullptr) {
      poll_links(hold, call, std::nullopt);
    } else {
      follow(hold, call, std::nullopt);
    }
  }
  return true;
}

// A call is left only by its waker: whoever completed it may be about to wake it.
void Engine::end(Hold& hold, Call& call) {
  hold.unlock();
  call.waker.wait_done();
}

// Lets somebody else poll. The mutex is not locked again when the call is done.
void Engine::follow(Hold& hold, Call& call, std::optional<core::Duration> limit) {
  call.follows = followers_.insert(followers_.end(), &call);
  hold.unlock();
  if (call.waker.wait(limit)) return;
  hold.lock();
  unfollow(call);
}

void Engine::unfollow(Call& call) {
  if (called_ == &call) called_ = nullptr;
  if (!call.follows) return;
  followers_.erase(*call.follows);
  call.follows.reset();
}

void Engine::poll_links(Hold& hold, Call& poller, std::optional<core::Duration> limit) {
  const bool hidden = &poller == &hidden_;
  poller_ = &poller;
  polled_ = snapshot();
  std::vector<pollfd> fds;
  fds.push_back({(hidden ? kick_hidden_ : kick_).get(), POLLIN, 0});
  if (hidden) fds.push_back({timer_.fd(), POLLIN, 0});
  const std::size_t first = fds.size();
  for (const Polled& polled : polled_) fds.push_back({polled.fd, polled.events, 0});

  hold.unlock();
  const timespec timeout = timespec_of(limit.value_or(core::Duration::zero()));
  ppoll(fds.data(), fds.size(), limit ? &timeout : nullptr, nullptr);
  hold.lock();

  poller_ = nullptr;
  if (fds[0].revents != 0) clear(hidden ? kick_hidden_ : kick_);
  const core::Time now = boot_now();
  Link::News news;
  for (std::size_t i = 0; i < polled_.size(); ++i) {
    if (fds[first + i].revents != 0) hear(polled_[i], now, news);
  }
  hear(news, now);
  note_subscriptions(now);
  // What a message made due is done here, and not by the hidden thread, whose wake-up takes longer.
  if (const auto due = agent_.wake(); due && *due <= now) agent_.on_timer(now);
  perform(now);
}

void Engine::hear(const Polled& ready, core::Time now, Link::News& news) {
  // Another thread may have closed the connection since, and the kernel given its number away.
  if (ready.kind == Polled::Kind::line) {
    Link& link = lines_[ready.index].link;
    if (link.wire().generation() == ready.generation) link.on_ready(now, news);
    return;
  }
  const bool changes = ready.kind == Polled::Kind::changes;
  if (changes && !changes_) return;
  Subscriber& subscriber = changes ? *changes_ : subscribers_[ready.index];
  if (subscriber.wire().generation() != ready.generation) return;
  std::vector<std::string> messages;
  subscriber.on_ready(now, random_, messages);
  for (const auto& message : messages) {
    if (changes) {
      agent_.on_change(redis::read_change(message), now);
      continue;
    }
    const auto wake_up = redis::read_wake_up(message);
    if (!wake_up) continue;  // not from a script of ours
    agent_.on_wake_up(static_cast<core::NodeIndex>(ready.index), wake_up->ticket, wake_up->after, now);
  }
}

void Engine::serve() {
  Hold hold(*this);
  while (!stopping_) {
    if (poller_ == nullptr && followers_.empty() && somebody_must_poll()) {
      poll_links(hold, hidden_, std::nullopt);
    } else {
      hold.unlock();
      std::array<pollfd, 2> fds{{{kick_hidden_.get(), POLLIN, 0}, {timer_.fd(), POLLIN, 0}}};
      ppoll(fds.data(), fds.size(), nullptr, nullptr);
      hold.lock();
      if (fds[0].revents != 0) clear(kick_hidden_);
    }
    const core::Time now = boot_now();
    if (armed_ && now >= *armed_) {
      timer_.set(std::nullopt);  // also if it has not fired yet: it must not fire unheeded
      armed_.reset();
      agent_.on_timer(now);
      for (Subscriber& subscriber : subscribers_) subscriber.on_timer(now, random_);
      if (changes_) changes_->on_timer(now, random_);
      note_subscriptions(now);
      perform(now);
    }
  }
}

// Whoever stops polling leaves the connections to somebody who still waits, or to the hidden thread.
void Engine::pass_on() {
  if (poller_ != nullptr || called_ != nullptr) return;
  if (!followers_.empty()) {
    called_ = followers_.front();
    called_->waker.wake(Waker::look);
  } else if (somebody_must_poll()) {
    eventfd_write(kick_hidden_.get(), 1);
  }
}

void Engine::complete(Call& call) {
  ended_.push_back(&call);
  call.done = true;
  unfollow(call);
  if (poller_ == &call) kick_poller();
}

void Engine::kick_poller() { eventfd_write((poller_ == &hidden_ ? kick_hidden_ : kick_).get(), 1); }

std::vector<Engine::Polled> Engine::snapshot() const {
  std::vector<Polled> polled;
  polled.reserve(lines_.size() + subscribers_.size());
  using Kind = Polled::Kind;
  const auto add = [&](Kind kind, std::size_t index, const Wire& wire) {
    polled.push_back({kind, index, wire.fd(), wire.events(), wire.generation()});
  };
  for (std::size_t i = 0; i < lines_.size(); ++i) add(Kind::line, i, lines_[i].link.wire());
  for (std::size_t i = 0; i < subscribers_.size(); ++i) add(Kind::subscriber, i, subscribers_[i].wire());
  if (changes_) add(Kind::changes, 0, changes_->wire());
  return polled;
}

bool Engine::links_waiting() const {
  return std::ranges::any_of(lines_, [](const Line& line) { return line.link.waiting(); });
}

// Are so many nodes silent that the others are no majority? Or is it the one with the heartbeats?
bool Engine::majority_waits() const {
  std::set<core::NodeIndex> silent;
  for (const Line& line : lines_) {
    if (line.link.waiting()) silent.insert(line.node);
  }
  const std::size_t nodes = options_.nodes.size();
  return silent.contains(static_cast<core::NodeIndex>(nodes)) ||
         nodes - silent.size() < core::quorum_of(nodes);
}

// A candidate waits for its turn without a thread of its own, and so does an instance of a fleet.
bool Engine::somebody_must_poll() const {
  return links_waiting() || agent_.elections().campaigning() || agent_.fleet() != nullptr;
}

}  // namespace tenure::runtime
