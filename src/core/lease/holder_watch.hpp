// Watches names that others hold: who has them, as a majority of the nodes shows it. What it sees decides nothing
// about leases; it is for those who want to know.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/lease/majority_reads.hpp"
#include "core/lease/timing.hpp"
#include "core/outbox.hpp"

namespace tenure::core {

class HolderWatch {
 public:
  explicit HolderWatch(std::size_t nodes, BatchMax batch_max = {})
      : nodes_(nodes), batch_max_(batch_max), reads_(nodes) {}

  // Looks at once, then every so often, and when what it saw should have run out. Seen follows after the first look,
  // and whenever it changes; Unseen when too few nodes answer.
  void watch(WatchId id, std::string key, Duration every, Duration node_timeout, Time now);
  void unwatch(WatchId id);

  void on_reply(RequestId request, const Reply& reply, Time now, Outbox& out);
  void on_timer(Time now, Outbox& out);
  std::optional<Time> wake() const;
  bool empty() const { return watched_.empty() && asked_.empty(); }

 private:
  struct Watched {
    std::string key;
    Duration every{};
    Duration node_timeout{};
    std::optional<Time> next{};  // the next look; nothing while one is under way
    bool told = false;
    bool blind = false;  // too few nodes answered, and that was told
    std::optional<Holder> seen{};
    Time seen_until = long_ago;
  };
  // Whom a read is for, by the number of the name; none where enough have answered to tell.
  using Asked = std::vector<std::optional<WatchId>>;

  void read(const std::vector<WatchId>& watches, Duration node_timeout, Time now, Outbox& out);
  void on_answer(MajorityReads::Id id, Time now, Outbox& out);
  void tell(WatchId id, const View& view, const std::vector<NodeFailure>& failures, Time now, Outbox& out);
  void look_at(WatchId id, Watched& watched, std::optional<Time> when);

  std::size_t nodes_;
  BatchMax batch_max_;
  std::map<WatchId, Watched> watched_;
  std::set<std::pair<Time, WatchId>> next_;
  MajorityReads reads_;
  std::map<MajorityReads::Id, Asked> asked_;
};

}  // namespace tenure::core
