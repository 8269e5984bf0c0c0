// Decides which of our sessions is polled when, and what must happen before one is given back. Pure: it is told what
// happens, with the time, and answers with what to do.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/time.hpp"
#include "poll/runner.hpp"
#include "poll/schedule.hpp"
#include "tenure/session.hpp"

namespace tenure::poll {

// Leases end by the one clock, polls are due by the other.
struct Now {
  core::Time boot{};
  WallTime wall{};
};

// One session in our hands, by the token of its lease.
struct Tenancy {
  std::string session{};
  std::uint64_t token = 0;

  bool operator==(const Tenancy&) const = default;
};

// When was it polled last, by anybody? To be answered by slot_read().
struct ReadSlot {
  Tenancy of{};
};
// To be answered by poll_ended().
struct Begin {
  PollId id{};
  std::uint64_t token = 0;
  Session session{};
  WallTime due{};
};
struct Abort {
  PollId id{};
  core::Time by{};
};
// Nothing of ours is under way there any more: it may be given back.
struct SayEnded {
  Tenancy of{};
};
using RotaAction = std::variant<ReadSlot, Begin, Abort, SayEnded>;

class Rota {
 public:
  struct Options {
    std::size_t in_flight_max = 1;
    Milliseconds abort_takes{};  // so long before a deadline it must be asked for
    Milliseconds backoff_max{};
  };
  explicit Rota(Options options) : options_(options) {}

  // All that may be polled.
  void set_sessions(std::vector<Session> sessions, Now now);

  void acquired(const Tenancy& of, Now now);
  void slot_read(const Tenancy& of, std::optional<WallTime> slot, Now now);
  void uncertain(const Tenancy& of);
  void certain(const Tenancy& of, Now now);
  // Work that drains may go on until shortly before the deadline, and its result is waited for; other work ends now.
  struct Ending {
    bool drains = false;
    core::Time deadline{};
  };
  void ending(const Tenancy& of, Ending how, Now now);
  void ended(const Tenancy& of, Now now);

  struct Polled {
    Tenancy of{};
    WallTime slot{};
  };
  // Of one that has finished the result is to be written, which result_written() ends.
  Polled poll_ended(PollId id, PollEnd::How how, bool ok, Now now);
  void result_written(const Tenancy& of);

  // Begins nothing any more.
  void stop();
  // Begins what is due, and aborts what must end.
  void tick(Now now);

  // What to do since the last call.
  std::vector<RotaAction> take_actions() { return std::exchange(actions_, {}); }
  // When tick() has something to do by itself.
  struct Wake {
    std::optional<core::Time> boot{};
    std::optional<WallTime> wall{};
  };
  Wake wake() const;
  std::size_t in_flight() const { return polls_.size(); }

 private:
  struct Entry {
    Tenancy of{};
    std::optional<Session> session{};  // nothing: it is not known, or not to be polled
    bool slot_known = false;
    std::optional<WallTime> last{};  // the slot of the last poll
    unsigned failures = 0;           // in a row
    bool uncertain = false;
    std::optional<Ending> ending{};
    bool said_ended = false;
    bool gone = false;                     // it is ours no more, but a poll is still in flight
    std::optional<PollId> poll{};          // in flight, perhaps of an earlier token
    bool aborted = false;                  // that was asked for
    unsigned writing = 0;                  // results on their way
    std::optional<Turn> turn{};            // it is in due_
    std::optional<core::Time> abort_at{};  // it is in aborts_
  };
  using Entries = std::unordered_map<std::string, Entry>;

  Entry* find(const Tenancy& of);
  bool waits(const Entry& entry) const;
  void schedule(Entry& entry, Now now);
  Turn after_poll(const Entry& entry, Now now) const;
  void put(Entry& entry, Turn turn);
  void unschedule(Entry& entry);
  void begin(Entry& entry, Now now);
  void abort(Entry& entry, core::Time by);
  void forget_abort(Entry& entry);
  void settle(Entry& entry);
  void notice_clock_set(Now now);

  Options options_;
  bool stopping_ = false;
  std::uint64_t last_poll_ = 0;
  std::unordered_map<std::string, Session> sessions_;
  Entries entries_;
  std::unordered_map<PollId, Polled> polls_;
  std::set<std::pair<WallTime, std::string>> due_;
  std::set<std::pair<core::Time, std::string>> aborts_;
  std::optional<core::Duration> apart_{};  // the two clocks
  std::vector<RotaAction> actions_;
};

}  // namespace tenure::poll
