// Finds the master that Sentinels know by a name, and connects to it, without blocking.
//
// All Sentinels that are listed are asked at the same time, so that one which hangs, refuses, or knows nothing hides no other.
// Each server that one of them names is dialled at once, and counts only if it says itself that it is a master (ROLE). Sentinels
// that are cut off from the others, beside an old master, name that one: so where a majority of those listed names one server, no other
// counts, even if that one is slow or out of reach; and where there may still be such a majority, a server that fewer name is taken
// only after a while. Nothing is remembered from one search to the next.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "core/base/time.hpp"
#include "core/message.hpp"
#include "redis/net/inquiry.hpp"
#include "redis/url.hpp"
#include "runtime/net/descriptor.hpp"
#include "runtime/net/lookup.hpp"
#include "runtime/net/ready_set.hpp"
#include "runtime/net/stream.hpp"
#include "runtime/net/tls.hpp"

namespace tenure::redis {

// Of all hosts that searches of one connection have come upon. They outlive a search: the next goes on with what is under way.
class Lookups {
 public:
  runtime::Lookup& of(const HostPort& where);
  // What Sentinels name may be anything: we do not keep it for ever. Nobody may use any of them then.
  void limit();

 private:
  std::map<std::string, runtime::Lookup> by_host_;
};

class MasterSearch {
 public:
  struct Limits {
    // How long the caller waits for all that it wants, which is more than a connection.
    core::Duration patience{};
    // Whoever has another way gives up where no Sentinel has named a server in time.
    bool gives_up_unnamed = false;
  };
  // So long at most, and no longer than half of the patience, Sentinels are in time: to name a server where the search gives up
  // otherwise, and to agree on another than the one that a minority names.
  static constexpr core::Duration in_time_max = std::chrono::milliseconds(500);

  // The first three live longer than this.
  MasterSearch(const Address& address, const runtime::Tls& tls, Lookups& lookups, Limits limits);

  // The connection to a master that has been greeted, but for its database; not yet; or why there is none. To be called when fd()
  // is readable, which is another one after each call.
  tl::expected<std::optional<runtime::Stream>, core::Failure> step();
  int fd() const { return ready_ ? ready_->fd() : -1; }

  // No Sentinel has named any server.
  bool is_clueless() const { return candidates_.empty(); }
  // What has been heard so far of those that failed, in a sentence, for who cannot wait any longer.
  std::string trouble() const;

 private:
  struct Sentinel {
    HostPort where;
    std::optional<Inquiry> inquiry;  // while it has not answered
    std::optional<HostPort> master;
    std::optional<core::Failure> failure;
  };
  struct Candidate {
    HostPort where;
    std::optional<Inquiry> inquiry;  // while it has not answered, and of one that is a master
    bool is_master = false;
    std::optional<core::Failure> failure;
  };

  void ask(Sentinel& sentinel);
  void add_candidate(const HostPort& where);
  void ask(Candidate& candidate);
  std::size_t votes(const Candidate& candidate) const;
  Candidate* named_by_majority();
  Candidate* best();
  bool may_be_outvoted(const Candidate& best) const;
  // Takes one that only a minority names, unless the others are still waited for.
  bool is_taken(const Candidate& best);
  void set_timer();
  bool all_failed() const;
  core::FailureCode failure_code();
  core::Failure failure() { return {core::Applied::no, failure_code(), "no master: " + trouble()}; }
  bool wait_for_more();

  const Address& address_;
  const runtime::Tls& tls_;
  Lookups& lookups_;
  core::Duration in_time_;
  std::deque<Sentinel> sentinels_;
  std::deque<Candidate> candidates_;
  std::optional<runtime::ReadySet> ready_{};  // of all that is waited for
  runtime::Descriptor timer_;
  std::optional<core::Time> named_until_{};  // of a search that gives up, while nobody was named
  std::optional<core::Time> agree_until_{};  // since there is a master
  bool starved_ = false;                     // there was no descriptor for the timer
};

}  // namespace tenure::redis
