// The poller's main thread: tells the rota what happens, and does what it decides. Nothing on this thread blocks.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <unordered_map>

#include "poll/discovery.hpp"
#include "poll/ledger.hpp"
#include "poll/mailbox.hpp"
#include "poll/rota.hpp"
#include "poll/runner.hpp"
#include "poll/session_list.hpp"
#include "runtime/engine/callback_executor.hpp"
#include "tenure/poller.hpp"

namespace tenure::poll {

class Conductor {
 public:
  // Everything checked. Throws std::system_error where this machine has no descriptor or thread left.
  // Without a store results are kept nowhere.
  Conductor(Fleet& fleet, PollWork work, PollerOptions options, std::unique_ptr<ResultStore> results);
  ~Conductor();  // finishes
  Conductor(const Conductor&) = delete;
  Conductor& operator=(const Conductor&) = delete;

  // From any thread.
  void on_fleet(const FleetEvent& event);
  void pause(const std::string& session);
  void resume(const std::string& session);
  void remove(const std::string& session);
  PollCounts counts() const;
  PollerMetrics metrics() const;

  // Before the fleet is started: its events ask for it, and it may begin with the sessions that there are.
  void discover(std::shared_ptr<SessionSource> source);
  // The fleet could not be joined: the source is read no more until it is asked for that again.
  void pause_discovery() { discovery_->pause(); }
  void resume_discovery() { discovery_->resume(); }
  // Begins nothing any more; what is in flight ends as the fleet says. A store that is away is not waited for.
  void stop_polls();
  // After the fleet has stopped: ends what is left, writes results for at most a second, and waits for it. False when the wait
  // was given up; then it goes on in the background. May be called again, and by several threads at once.
  bool finish(const std::stop_token& give_up = {});

 private:
  using Tell = runtime::CallbackExecutor::Kind;

  bool is_finished();
  void run();
  void work_off();
  core::Time wake_time() const;
  void post(Mailbox::Letter letter) { mailbox_.post(std::move(letter)); }

  void note(const FleetEvent& event);
  void on_read(Discovery::Read read);
  void share();

  void act(const ReadSlot& action);
  void act(const Begin& action);
  void act(const Abort& action);
  void act(const SayEnded& action);
  void begin(Task task);
  bool is_ours(const Tenancy& of) const;
  std::optional<core::Time> deadline_of(const Tenancy& of) const;

  // On any thread.
  void note_began(WallTime due);
  void note_took(Milliseconds took);
  void on_end(PollId id, PollEnd end);
  void report(const Rota::Polled& polled, const PollEnd& end);
  void write(const Rota::Polled& polled, SessionLease lease, const PollEnd& end);
  void on_written(const Tenancy& of, const Ledger::Fate& fate);
  void tell(PollEvent event, Tell how = Tell::must_arrive);

  Fleet& fleet_;
  const PollerOptions options_;
  std::atomic<std::uint64_t> started_ = 0;
  std::atomic<std::uint64_t> succeeded_ = 0;
  std::atomic<std::uint64_t> failed_ = 0;
  std::atomic<std::uint64_t> aborted_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
  std::atomic<std::size_t> in_flight_ = 0;
  std::atomic<std::uint64_t> dropped_ = 0;  // results
  mutable std::mutex timing_;               // of the histograms
  Histogram lateness_;
  Histogram latency_;
  std::mutex telling_;   // locked while the user hears of the fleet
  bool silent_ = false;  // the user hears of it no more
  Mailbox mailbox_;
  std::unique_ptr<runtime::CallbackExecutor> executor_;
  std::unique_ptr<Ledger> ledger_;  // none: results are not stored
  std::unique_ptr<Runner> runner_;
  std::unique_ptr<runtime::CallbackExecutor> askers_;  // for strict checks

  // Of the main thread alone.
  SessionList session_list_;
  Rota rota_;
  std::vector<std::string> shared_;
  bool source_away_ = false;
  std::unordered_map<PollId, SessionLease> leases_;        // of the polls in flight
  std::unordered_map<std::string, std::string> failures_;  // what was told last, by session
  std::unordered_map<std::string, std::string> unstorable_;
  bool finishing_ = false;

  std::unique_ptr<Discovery> discovery_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool finished_ = false;
  std::thread thread_;
};

}  // namespace tenure::poll
