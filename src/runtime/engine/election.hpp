// One election in the hands of its users: their work, their handlers, and who waits for leadership. The core decides;
// this sees to it that a term is given back only after the user's work has ended and the user's handlers have run.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <tl/expected.hpp>
#include <vector>

#include "core/election/election_plan.hpp"
#include "runtime/engine/engine.hpp"

namespace tenure::runtime {

// Called one after the other, on a thread of their own. What they throw is logged.
struct ElectionHandlers {
  std::function<void(const std::shared_ptr<LeaseState>& term)> on_elected{};
  // Drained: the work and the handlers before this one had ended when it was called, and the term's deadline had not come.
  std::function<void(core::LossReason reason, core::Token term, bool drained)> on_lost{};
  std::function<void(const std::optional<core::Holder>& before, const std::optional<core::Holder>& now)>
      on_leader_changed{};
  std::function<void(const core::Refusal& why)> on_hindered{};
};

class Election : public ElectionListener, public std::enable_shared_from_this<Election> {
 public:
  // Whoever has a handle keeps the engine alive as long.
  Election(const std::shared_ptr<Engine>& engine, core::ElectionPlan plan)
      : engine_(engine), plan_(std::move(plan)) {}

  // Before start().
  ElectionHandlers handlers{};

  using Run = std::uint64_t;  // from one start() to the end of it, by their number
  enum class NotStarted : std::uint8_t {
    still_stopping,
    closed,     // the client is
    no_thread,  // for its handlers
  };
  // The run that it began, or that was begun before.
  tl::expected<Run, NotStarted> start();
  // Ends it: the work is told and drains, handlers run, the name is given back. Waits for that unless it is called by
  // the work or a handler. False when the wait was given up; then it goes on in the background.
  bool stop(const std::stop_token& give_up = {});
  // The same without any wait.
  void request_stop();
  void step_down();

  // The term in which it leads now.
  std::shared_ptr<LeaseState> leads() const;
  std::optional<core::Holder> leader() const;

  // What a wait for leadership came to.
  struct Waited {
    enum class End : std::uint8_t {
      leads,
      too_long,     // the deadline came
      given_up,     // the token was stopped
      stopped,      // the election was, or the client is closed
      not_started,  // or has been stopped before
    };
    End end{};
    std::shared_ptr<LeaseState> term{};  // in which it leads
    // What was in the way until the deadline, as last heard: another leads, or nobody can be elected from here.
    std::optional<core::Holder> leader{};
    std::optional<core::Refusal> hindrance{};
  };
  // Waits until it leads. Whether it is started again meanwhile changes nothing: who waited for the one before is told.
  Waited wait(core::Time deadline, const std::stop_token& stop);

  // The same without waiting, and without a deadline: ends in Engine::poll().
  class AsyncWait : public AsyncCall {
   public:
    void run(const std::shared_ptr<Engine>&) final { done(end_); }

   protected:
    virtual void done(const Waited& end) = 0;

   private:
    friend class Election;
    struct Cancel {
      std::weak_ptr<Election> election;
      AsyncWait* call;
      void operator()() const;
    };
    Waited end_{};
    std::optional<std::stop_callback<Cancel>> on_stop_{};
  };
  void async_wait(const std::shared_ptr<AsyncWait>& call, const std::stop_token& stop);

  // Waits until it leads in that run, and from then on the caller works: the term is not given back before end_work(). Waits
  // on while another thread works in that term. Null when the run or the wait was stopped.
  std::shared_ptr<LeaseState> begin_work(Run run, const std::stop_token& stop);
  // True when it ended by itself: the term goes on.
  bool end_work();

 private:
  // A term from the first handler to the last.
  struct Term {
    std::shared_ptr<LeaseState> lease;
    std::optional<core::LossReason> ending{};
    std::optional<std::thread::id> worker{};
    bool told = false;      // on_elected was called
    bool worked = false;    // somebody has begun the work
    bool lost_due = false;  // on_lost is on its way
    bool lost_told = false;
  };
  using Lock = std::unique_lock<std::mutex>;

  void on_started(core::ElectionId id) override;
  void on_elected(std::shared_ptr<LeaseState> term) override;
  void on_ending(const core::TermEnding& ending) override;
  void on_overran() override;
  void on_leader_changed(const core::LeaderChanged& changed) override;
  void on_hindered(const core::Refusal& refusal) override;
  void on_stopped() override;

  std::shared_ptr<Engine> engine() const { return engine_.lock(); }
  bool leading() const;
  void notify();
  void finish_wait(const std::shared_ptr<AsyncWait>& call, Waited end);
  void ask_to_stop(Lock& lock);
  void tell_loss(bool work_ended);
  void post(std::function<void()> task);
  void run_tasks();
  template <class Handler, class... News>
  void run_handler(const char* name, const Handler& handler, const News&... news);
  void end_term_if_drained(Lock& lock);

  std::weak_ptr<Engine> engine_;
  core::ElectionPlan plan_;
  mutable std::mutex mutex_;  // never locked while the engine is called
  std::condition_variable_any changed_;
  std::vector<std::shared_ptr<AsyncWait>> waits_;  // all of them for the election that runs
  bool running_ = false;
  bool stopping_ = false;  // it was asked to stop since it started
  Run started_ = 0;        // the last
  // Also when all handles have gone meanwhile. Let go before stop() returns: with the last handle goes the client, and
  // nothing of it is called any more.
  std::shared_ptr<Engine> kept_alive_{};
  std::optional<core::ElectionId> id_{};
  std::optional<Term> term_{};
  std::optional<core::Holder> leader_{};
  std::optional<core::Refusal> hindrance_{};  // as last told, until somebody leads
  std::deque<std::function<void()>> tasks_;
  std::optional<std::thread::id> tells_{};  // the thread that runs them now
  bool telling_ = false;                    // or will
};

}  // namespace tenure::runtime
