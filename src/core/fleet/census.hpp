// Who lives: beats for one instance, and hears with every beat which others do. A dead one is noticed the moment its
// last beat runs out. Whoever leaves says so.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/random.hpp"
#include "core/fleet/tally.hpp"
#include "core/lease/timing.hpp"
#include "core/outbox.hpp"

namespace tenure::core {

struct CensusPlan {
  std::string fleet;   // what its keys begin with
  std::string id;      // of this instance
  Beat beat;           // as it is at first
  NodeIndex node = 0;  // where the beats are
  Ttl ttl{};
  Duration every{};
  Duration node_timeout{};
};

class Census {
 public:
  // What a beat has come to.
  using News = std::variant<LiveMembers, IdTaken, Failure>;

  explicit Census(CensusPlan plan) : plan_(std::move(plan)) {}

  // The first beat is due at once.
  void join(Time now);
  // Says that it leaves, once; what comes of that is not told.
  void leave(Outbox& out);
  // Is a beat to be sent with the next on_timer()?
  bool due(Time now) const { return joined_ && !beating_ && now >= next_; }
  // Said with the next beat.
  void note_owned(const Tally& tally, std::vector<SessionHash> list) {
    plan_.beat.owned = tally.count;
    plan_.beat.digest = tally.digest;
    owned_ = std::move(list);
  }
  void note_version(std::uint64_t version) { plan_.beat.version = version; }
  // Somebody says that there is news: beats no later than that.
  void beat_by(Time when);

  // When the last beat was sent; what is heard next is not older than that.
  Time last() const { return last_; }

  // Nothing when it belongs to a beat that counts no more.
  std::optional<News> on_reply(RequestId request, const Reply& reply, Time now, Random& random);
  std::optional<News> on_timer(Time now, Random& random, Outbox& out);
  std::optional<Time> wake() const;
  bool joined() const { return joined_; }

 private:
  struct Beating {
    RequestId request{};
    Time gives_up{};
  };

  News fail(const Failure& failure, Time now, Random& random);

  CensusPlan plan_;
  std::vector<SessionHash> owned_;
  bool joined_ = false;
  Time next_{};
  Time last_ = long_ago;  // beat
  unsigned failures_ = 0;
  std::optional<Beating> beating_{};
};

}  // namespace tenure::core
