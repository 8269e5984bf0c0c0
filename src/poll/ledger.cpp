#include "poll/ledger.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "redis/net/caller.hpp"
#include "runtime/boot_clock.hpp"

namespace tenure::poll {

namespace {

using runtime::boot_now;

constexpr std::size_t batch_max = 256;
constexpr std::size_t batch_bytes_max = 4'000'000;
constexpr auto retry_after = std::chrono::milliseconds(200);

struct Write {
  redis::Result result{};
  Ledger::Written then{};
};
struct Read {
  std::string state{};
  Ledger::SlotRead then{};
};

// One thing to ask Redis, and whom to tell.
struct Job {
  std::variant<Write, Read> what{};
  core::Time until{};

  std::size_t bytes() const {
    const auto* write = std::get_if<Write>(&what);
    return write != nullptr ? write->result.text.size() : 0;
  }
  redis::Command command(redis::CallBy by) const {
    if (const auto* write = std::get_if<Write>(&what)) return redis::publish_result_call(write->result, by);
    return redis::last_slot_call(std::get<Read>(what).state);
  }
  // Redis will not get it.
  void make_old() {
    until = core::long_ago;
    if (auto* write = std::get_if<Write>(&what)) write->result.text = {};
  }
  void drop() const {
    if (const auto* write = std::get_if<Write>(&what)) {
      write->then({Ledger::Fate::Kind::dropped});
    } else {
      std::get<Read>(what).then(std::nullopt);
    }
  }
};

bool is_unknown_script(const redis::Value& value) {
  return value.kind == redis::Value::Kind::error && value.text.starts_with("NOSCRIPT");
}

// Of this one key, not of all of Redis.
bool is_of_key(const core::Failure& failure) { return failure.code == core::FailureCode::server; }

Ledger::Fate fate(redis::Published published) {
  switch (published) {
    case redis::Published::stored:
      return {Ledger::Fate::Kind::stored};
    case redis::Published::lease_gone:
      return {Ledger::Fate::Kind::lease_gone, "the lease has passed on"};
    case redis::Published::outdated:
      break;
  }
  return {Ledger::Fate::Kind::outdated, "a later owner has stored a result"};
}

}  // namespace

struct Ledger::State {
  State(Options given, Listener told) : options(std::move(given)), listener(std::move(told)) {}

  const Options options;
  const Listener listener;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> jobs;
  std::size_t bytes = 0;
  std::size_t busy = 0;  // jobs in the batch under way
  bool stopping = false;
  core::Time hurry_from = core::Time::max();
  // Of the thread alone.
  std::optional<redis::Caller> redis;
  bool dropping = false;
  std::string why;
  std::thread thread;

  void add(Job job) {
    {
      const std::lock_guard lock(mutex);
      if (bytes + job.bytes() > options.bytes_max) job.make_old();
      bytes += job.bytes();
      jobs.push_back(std::move(job));
    }
    changed.notify_all();
  }

  void run() {
    while (auto batch = take()) {
      drop_old(*batch);
      auto unanswered = batch->empty() ? std::vector<Job>() : ask(std::move(*batch));
      std::unique_lock lock(mutex);
      // It is tried again, for as long as it is kept.
      if (boot_now() >= hurry_from) std::ranges::for_each(unanswered, &Job::make_old);
      lock.unlock();
      drop_old(unanswered);
      lock.lock();
      busy = 0;
      const bool failed = !unanswered.empty();
      for (const auto& job : unanswered) bytes += job.bytes();
      jobs.insert(jobs.begin(), std::make_move_iterator(unanswered.begin()),
                  std::make_move_iterator(unanswered.end()));
      changed.notify_all();
      if (failed) changed.wait_for(lock, retry_after, [this] { return stopping; });
    }
  }

  // Nothing: it is time to stop.
  std::optional<std::vector<Job>> take() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return stopping || !jobs.empty(); });
    if (stopping) return std::nullopt;
    std::vector<Job> batch;
    std::size_t batch_bytes = 0;
    while (!jobs.empty() && batch.size() < batch_max && batch_bytes < batch_bytes_max) {
      batch_bytes += jobs.front().bytes();
      batch.push_back(std::move(jobs.front()));
      jobs.pop_front();
    }
    bytes -= batch_bytes;
    busy = batch.size();
    return batch;
  }

  // Gives back what got no answer.
  std::vector<Job> ask(std::vector<Job> batch) {
    if (!redis) {
      auto connected = redis::Caller::connect(options.address, options.timeout, options.tls);
      if (!connected) {
        why = connected.error().detail;
        return batch;
      }
      redis = std::move(*connected);
    }
    std::vector<Job> unanswered = ask(std::move(batch), redis::CallBy::sha1);
    // A Redis that does not know the script yet is told.
    if (redis && !unanswered.empty()) unanswered = ask(std::move(unanswered), redis::CallBy::body);
    return unanswered;
  }

  std::vector<Job> ask(std::vector<Job> batch, redis::CallBy by) {
    std::vector<redis::Command> commands;
    commands.reserve(batch.size());
    for (const auto& job : batch) {
      commands.push_back(job.command(by));
      // The first one makes the script known to those behind it.
      if (std::holds_alternative<Write>(job.what)) by = redis::CallBy::sha1;
    }
    const auto values = redis->call_all(commands);
    if (!values) {
      why = values.error().detail;
      redis.reset();
      return batch;
    }
    std::vector<Job> unanswered;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (is_unknown_script((*values)[i]) || !hear(batch[i], (*values)[i]))
        unanswered.push_back(std::move(batch[i]));
    }
    return unanswered;
  }

  // False: all of Redis is in trouble, and it may go better later.
  bool hear(const Job& job, const redis::Value& value) {
    if (const auto* write = std::get_if<Write>(&job.what)) {
      const auto published = redis::published(value);
      if (!published && !is_of_key(published.error())) {
        why = published.error().detail;
        return false;
      }
      tell_back();
      why.clear();
      write->then(published ? fate(*published) : Fate{Fate::Kind::failed, published.error().detail});
      return true;
    }
    const auto slot = redis::last_slot(value);
    if (!slot && !is_of_key(slot.error())) {
      why = slot.error().detail;
      return false;
    }
    std::get<Read>(job.what).then(slot && *slot ? std::optional(WallTime(Milliseconds(**slot)))
                                                : std::nullopt);
    return true;
  }

  void drop_old(std::vector<Job>& batch) {
    const core::Time now = boot_now();
    std::erase_if(batch, [&](const Job& job) {
      if (job.until > now) return false;
      if (std::holds_alternative<Write>(job.what)) tell_dropping();
      job.drop();
      return true;
    });
  }

  void tell_dropping() {
    if (!std::exchange(dropping, true))
      listener.on_dropping(why.empty() ? "there are too many at once" : why);
  }
  void tell_back() {
    if (std::exchange(dropping, false)) listener.on_back();
  }
};

Ledger::Ledger(Options options, Listener listener)
    : state_(std::make_unique<State>(std::move(options), std::move(listener))) {
  state_->thread = std::thread([state = state_.get()] { state->run(); });
}

Ledger::~Ledger() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->changed.notify_all();
  state_->thread.join();
  for (const auto& job : state_->jobs) job.drop();
}

void Ledger::write(redis::Result result, Written then) {
  state_->add({Write{std::move(result), std::move(then)}, boot_now() + state_->options.keep_for});
}

void Ledger::read_slot(std::string state, SlotRead then) {
  state_->add({Read{std::move(state), std::move(then)}, boot_now() + state_->options.keep_for});
}

void Ledger::hurry(core::Time from) {
  const std::lock_guard lock(state_->mutex);
  state_->hurry_from = from;
}

void Ledger::drain(core::Time by) {
  std::unique_lock lock(state_->mutex);
  const auto left = std::max<core::Duration>(by - boot_now(), core::Duration::zero());
  state_->changed.wait_for(lock, left, [this] { return state_->jobs.empty() && state_->busy == 0; });
}

}  // namespace tenure::poll
