// Performs what the core decides, for many threads at once. Whoever waits for an answer polls the sockets
// itself, so that a caller who is alone pays for no other thread's wake-up; callers that come together
// share one poller. The hidden thread has the timer, and polls only while nobody waits for what is
// under way.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <unordered_map>
#include <vector>

#include "core/agent.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/engine/boot_timer.hpp"
#include "runtime/engine/callback_executor.hpp"
#include "runtime/engine/client.hpp"
#include "runtime/engine/stop_requester.hpp"
#include "runtime/engine/waker.hpp"
#include "runtime/net/link.hpp"
#include "runtime/net/subscriber.hpp"

namespace tenure::runtime {

inline constexpr core::Time over{};  // a deadline that has always passed

// What the handle of a lease sees without asking the engine.
struct LeaseState {
  core::LeaseId id{};
  core::Token token = 0;
  std::atomic<core::Time> deadline{};
  core::Time noted{};  // the deadline as the engine last set it
  std::atomic<std::optional<core::LossReason>> loss{};
  std::atomic<bool> uncertain = false;  // its last renewal failed
  std::stop_source lost;
  bool releasing = false;                      // somebody does; guarded by the engine's mutex
  std::unique_ptr<core::Released> released{};  // the last word

  // Right even while a renewal is being noted: what was once seen as over stays over (S6).
  bool held();
  // False when somebody has seen it as over.
  bool extend(core::Time from, core::Time to) { return deadline.compare_exchange_strong(from, to); }
};

// Hears of one election, on whatever thread drives the engine and with its mutex locked: takes note, and returns.
class ElectionListener {
 public:
  virtual ~ElectionListener() = default;
  virtual void on_started(core::ElectionId id) = 0;
  virtual void on_elected(std::shared_ptr<LeaseState> term) = 0;
  virtual void on_ending(const core::TermEnding& ending) = 0;
  virtual void on_overran() = 0;
  virtual void on_leader_changed(const core::LeaderChanged& changed) = 0;
  virtual void on_hindered(const core::Refusal& refusal) = 0;
  virtual void on_stopped() = 0;
};

// Hears of the fleet, like that.
class FleetListener {
 public:
  virtual ~FleetListener() = default;
  // With the lease that it is about, if it is about one.
  virtual void hear(const core::FleetNotice& notice, const std::shared_ptr<LeaseState>& lease) = 0;
  // Of any lease of this client: its renewals fail, or do so no more.
  virtual void on_uncertain(const std::shared_ptr<LeaseState>& lease, bool uncertain) = 0;
};

// Where the heartbeats of a fleet are, if not on the first node.
struct DataNode {
  redis::Address address{};
  Tls tls{};
};

class Engine {
 public:
  // Throws std::system_error where the kernel gives no descriptor or thread.
  static std::shared_ptr<Engine> make(ClientOptions options);
  ~Engine();

  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  tl::expected<std::shared_ptr<LeaseState>, core::Refusal> acquire(const std::string& key,
                                                                   const AcquireOptions& options,
                                                                   const std::stop_token& stop);
  tl::expected<core::Time, NotExtended> extend(LeaseState& lease);
  enum class After : std::uint8_t { keep, forget };  // the lease, when its release has ended
  core::Released release(LeaseState& lease, After after);
  void forget(const LeaseState& lease);

  // False when the engine is closed. Throws std::system_error where the kernel gives no thread. The listener is known from on_started() until on_stopped().
  bool start(core::ElectionPlan plan, std::shared_ptr<ElectionListener> listener);
  void stop(core::ElectionId election);
  void step_down(core::ElectionId election);
  void drained(core::ElectionId election, core::LeaseId term);

  // Takes part in a fleet. False when the engine is closed, or takes part in one already. The listener is known until
  // it hears FleetStopped.
  bool join(core::FleetPlan plan, std::optional<DataNode> data, std::shared_ptr<FleetListener> listener);
  void leave();
  void share(const std::vector<std::string>& sessions);
  void take(const std::string& session);
  bool give_back(const std::string& session);
  void session_drained(core::LeaseId lease);
  std::vector<core::Member> members();
  std::optional<std::string> preferred(const std::string& session);

  // Runs what is the user's, on a thread of its own.
  void run_for_user(std::function<void()> task) {
    handlers_.post(std::move(task), CallbackExecutor::Kind::must_arrive);
  }
  void log(std::string sentence);

  const std::string& owner() const { return options_.owner; }
  bool forked() const;
  void close();
  bool closed() const { return closed_; }

 private:
  explicit Engine(ClientOptions options);

  // A blocked caller. Guarded by the engine's mutex, until its waker has said that it ended.
  struct Call {
    Waker waker{};
    bool done = false;
    std::optional<std::list<Call*>::iterator> follows{};  // its place among those who do
    std::optional<core::Refusal> waiting{};
    std::shared_ptr<LeaseState> lease{};
    core::Refusal refusal{};
    std::string key{};  // that is released, where events are told
    After after = After::keep;
    core::Released released{};
    tl::expected<core::Time, NotExtended> extended{};
  };
  // A connection as the poller sees it.
  struct Polled {
    enum class Kind : std::uint8_t { line, subscriber, changes };
    Kind kind = Kind::line;
    std::size_t index = 0;  // among the lines, or the subscribers
    int fd = -1;
    short events = 0;
    std::uint64_t generation = 0;
    bool operator==(const Polled&) const = default;
  };
  // What is asked of a node with the same patience.
  struct Line {
    core::NodeIndex node = 0;
    int patience = 0;
    Link link;
  };
  using Lock = std::unique_lock<std::mutex>;
  // The mutex, for who changes something. Whose call was completed is woken when it is unlocked, and does not need it any
  // more. And whoever unlocks it while nobody polls has called somebody who will.
  class Hold {
   public:
    explicit Hold(Engine& engine) : engine_(engine), lock_(engine.mutex_) {}
    ~Hold() { unlock(); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    void lock() {
      if (!lock_) lock_.lock();
    }
    void unlock();

   private:
    Engine& engine_;
    Lock lock_;
  };

  bool wait(Hold& hold, Call& call, const std::stop_token& stop, const AcquireOptions* options);
  void end(Hold& hold, Call& call);
  void follow(Hold& hold, Call& call, std::optional<core::Duration> limit);
  void unfollow(Call& call);
  void poll_links(Hold& hold, Call& poller, std::optional<core::Duration> limit);
  void serve();
  void settle(Hold& hold);
  void pass_on();
  void complete(Call& call);

  void perform(core::Time now);
  void perform(core::Effects& effects, core::Time now);
  void hear(const Link::News& news, core::Time now);
  void hear(const Polled& ready, core::Time now, Link::News& news);
  void listen(core::Time now);
  void note_subscriptions(core::Time now);

  // One for each notice of the core.
  void on(const core::Acquired& acquired, core::Time now);
  void on(core::Refused& refused, core::Time now);
  void on(const core::Waiting& waiting, core::Time now);
  void on(core::Released& released, core::Time now);
  void on(const core::Renewed& renewed, core::Time now);
  void on(const core::Uncertain& uncertain, core::Time now);
  void on(const core::Lost& lost, core::Time now);
  void on(const core::ClockJumped& jumped, core::Time now);
  void on(const core::Elected& elected, core::Time now);
  void on(const core::TermEnding& ending, core::Time now);
  void on(const core::TermOverran& overran, core::Time now);
  void on(const core::TermOver& ended, core::Time now);
  void on(const core::LeaderChanged& changed, core::Time now);
  void on(const core::CampaignHindered& hindered, core::Time now);
  void on(const core::ElectionStopped& stopped, core::Time now);
  void on_fleet(const core::FleetNotice& notice);
  std::shared_ptr<LeaseState> on_session_ending(const core::SessionEnding& ending);
  std::shared_ptr<LeaseState> on_session_ended(const core::SessionEnded& ended);

  std::shared_ptr<LeaseState> note_lease(const core::Acquired& acquired);
  void forget(core::LeaseId lease, core::Time now);
  // Something that nobody waits for: what becomes of it is performed at once.
  template <class Change>
  void change(const Change& change) {
    if (forked()) return;
    const Hold hold(*this);
    const core::Time now = boot_now();
    change(now);
    perform(now);
  }
  void tell(Event::Kind kind, core::LeaseId lease, std::string detail = {});
  void tell(Event event);
  void finish_extension(core::LeaseId lease, tl::expected<core::Time, NotExtended> result);
  void arm_timer();

  std::vector<Polled> snapshot() const;
  Link& link_for(const core::Send& send);
  bool links_waiting() const;
  bool majority_waits() const;
  bool somebody_must_poll() const;
  void kick_poller();

  pid_t pid_;  // of the process that made it
  std::mutex mutex_;
  ClientOptions options_;
  core::Random random_;
  core::Agent agent_;
  std::shared_ptr<FleetListener> fleet_listener_;
  std::optional<DataNode> data_;        // it has the index behind those of the nodes
  std::optional<Subscriber> changes_;   // what is said of the fleet's changes
  std::deque<Line> lines_;              // made when first needed; none ever moves or goes
  std::deque<Subscriber> subscribers_;  // by node; none before somebody waits
  std::vector<bool> listening_;         // by node, as the agent knows it
  std::unordered_map<core::AcquireId, Call*> acquires_;
  std::unordered_map<core::LeaseId, Call*> releases_;
  std::unordered_map<core::LeaseId, Call*> extensions_;
  std::condition_variable_any lease_idle_;  // a release or an extension has ended
  std::unordered_map<core::LeaseId, std::shared_ptr<LeaseState>> leases_;
  std::unordered_map<core::ElectionId, std::shared_ptr<ElectionListener>> listeners_;

  Call* poller_ = nullptr;      // who polls the connections now
  std::vector<Polled> polled_;  // and for what
  std::list<Call*> followers_;  // who waits for the poller to do it
  Call* called_ = nullptr;      // which of them was told to poll, and does not yet
  std::vector<Call*> ended_;    // to be woken when the mutex is unlocked
  Call hidden_;                 // the hidden thread, as a poller
  Descriptor kick_;             // ends the poll of a caller
  Descriptor kick_hidden_;      // ends the poll of the hidden thread

  BootTimer timer_;
  std::optional<core::Time> armed_;
  bool stopping_ = false;
  std::atomic<bool> closed_ = false;
  CallbackExecutor log_{1};  // sentences and events stay in order
  StopRequester losses_;     // and no holder's callback delays the next one's
  CallbackExecutor handlers_{64};
  std::thread thread_;
};

}  // namespace tenure::runtime
