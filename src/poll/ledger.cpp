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

#include "core/base/check.hpp"
#include "runtime/boot_clock.hpp"

namespace tenure::poll {

namespace {

using runtime::boot_now;

constexpr std::size_t batch_max = 256;
constexpr std::size_t batch_bytes_max = 4'000'000;
constexpr auto retry_after = std::chrono::milliseconds(200);

// One thing to ask the store, and whom to tell.
struct Job {
  ResultRequest request{};
  std::variant<Ledger::Written, Ledger::SlotRead> then{};
  core::Time until{};

  bool writes() const { return std::holds_alternative<Ledger::Written>(then); }
  std::size_t bytes() const {
    const auto* result = std::get_if<Publish>(&request);
    return result != nullptr ? result->text.size() : 0;
  }
  // The store will not get it.
  void make_old() {
    until = core::long_ago;
    if (auto* result = std::get_if<Publish>(&request)) result->text = {};
  }
  void drop() const {
    if (const auto* written = std::get_if<Ledger::Written>(&then)) {
      (*written)({Ledger::Fate::Kind::dropped});
    } else {
      std::get<Ledger::SlotRead>(then)(std::nullopt);
    }
  }
};

// Of a result that was answered.
Ledger::Fate fate(const ResultReply& reply) {
  using Kind = Ledger::Fate::Kind;
  if (const auto* unstorable = std::get_if<Unstorable>(&reply)) return {Kind::failed, unstorable->why};
  switch (std::get<Published>(reply)) {
    case Published::stored:
      return {Kind::stored};
    case Published::lease_gone:
      return {Kind::lease_gone, "the lease has passed on"};
    case Published::outdated:
      break;
  }
  return {Kind::outdated, "a later owner has stored a result"};
}

}  // namespace

struct Ledger::State {
  State(std::unique_ptr<ResultStore> where, Options given, Listener told)
      : store(std::move(where)), options(given), listener(std::move(told)) {}

  const std::unique_ptr<ResultStore> store;  // of the thread alone
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
    std::vector<ResultRequest> requests;
    requests.reserve(batch.size());
    for (auto& job : batch) requests.push_back(std::move(job.request));
    const auto replies = store->ask(requests);
    core::must(replies.size() == batch.size(), "a store of results answers each request");
    std::vector<Job> unanswered;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (!std::holds_alternative<NoAnswer>(replies[i])) {
        hear(batch[i], replies[i]);
        continue;
      }
      batch[i].request = std::move(requests[i]);
      unanswered.push_back(std::move(batch[i]));
    }
    note_trouble(replies);
    return unanswered;
  }

  void hear(const Job& job, const ResultReply& reply) {
    if (const auto* then = std::get_if<SlotRead>(&job.then)) return (*then)(std::get<FoundSlot>(reply).slot);
    tell_back();
    why.clear();
    std::get<Written>(job.then)(fate(reply));
  }

  // After all answers of a batch, because each result that was written ends the trouble before it.
  void note_trouble(const std::vector<ResultReply>& replies) {
    for (const auto& reply : replies) {
      const auto* none = std::get_if<NoAnswer>(&reply);
      if (none != nullptr && !none->why.empty()) why = none->why;
    }
  }

  void drop_old(std::vector<Job>& batch) {
    const core::Time now = boot_now();
    std::erase_if(batch, [&](const Job& job) {
      if (job.until > now) return false;
      if (job.writes()) tell_dropping();
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

Ledger::Ledger(std::unique_ptr<ResultStore> store, Options options, Listener listener)
    : state_(std::make_unique<State>(std::move(store), options, std::move(listener))) {
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

void Ledger::write(Publish result, Written then) {
  state_->add({std::move(result), std::move(then), boot_now() + state_->options.keep_for});
}

void Ledger::read_slot(std::string session, SlotRead then) {
  state_->add({FindSlot{std::move(session)}, std::move(then), boot_now() + state_->options.keep_for});
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
