// Asks the nodes of a Redis Cluster which of them serves which slot, without blocking.
//
// All that are known are asked at the same time, and all masters that one of them names. A master that was frozen and replaced
// meanwhile names itself until it hears of that. So what counts is what most masters say, and a majority of them is waited for: not
// for ever, because to stop every client when some are slow would be worse.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "core/base/time.hpp"
#include "core/message.hpp"
#include "redis/cluster/slot_map.hpp"
#include "redis/net/inquiry.hpp"
#include "redis/net/master_search.hpp"
#include "redis/url.hpp"
#include "runtime/net/ready_set.hpp"
#include "runtime/net/tls.hpp"

namespace tenure::redis {

class ClusterMapSearch {
 public:
  struct Limits {
    // How long the caller waits for all that it wants, which is more than a map.
    core::Duration patience{};
    // Whoever has another map gives up where no master has answered in time.
    bool gives_up_unanswered = false;
  };

  // The first three live longer than this. Beside the seeds of the address those are asked that are known to be masters.
  ClusterMapSearch(const Address& address, const runtime::Tls& tls, Lookups& lookups,
                   const std::vector<HostPort>& known, Limits limits);

  // The map, not yet, or why there is none. To be called when fd() is readable, which is another one after each call.
  tl::expected<std::optional<SlotMap>, core::Failure> step();
  int fd() const { return ready_ ? ready_->fd() : -1; }

  // What has been heard so far of those that gave none, in a sentence, for who cannot wait any longer.
  std::string trouble() const;

 private:
  struct Node {
    HostPort where{};
    std::optional<Inquiry> inquiry{};  // while it has not answered
    std::string id{};                  // empty: it does not say
    std::optional<SlotMap> view{};
    std::optional<core::Failure> failure{};
  };

  void add(const HostPort& where);
  void ask(Node& node);
  bool is_master(const Node& node) const;
  // What masters say, each once.
  std::vector<SlotMap> views() const;
  std::optional<SlotMap> in_agreement(const std::vector<SlotMap>& views) const;
  // Why they gave no map, and who says so.
  std::vector<std::pair<core::Failure, std::string>> complaints() const;
  bool all_answered() const;
  core::Failure failure() const;
  bool wait_for_more();

  const Address& address_;
  const runtime::Tls& tls_;
  Lookups& lookups_;
  bool gives_up_;
  core::Time in_time_until_;
  std::deque<Node> nodes_;
  std::optional<runtime::ReadySet> ready_{};  // of all that is waited for
  runtime::Descriptor timer_;
  bool starved_ = false;  // there was no descriptor for the timer
};

}  // namespace tenure::redis
