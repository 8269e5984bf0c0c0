// The connections of one client: to each node one for each patience, made when first needed, and the subscriptions. Performs
// the effects of the core, and gathers what comes back.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/effect.hpp"
#include "runtime/engine/in_flight.hpp"
#include "runtime/store/node.hpp"
#include "tenure/metrics.hpp"

namespace tenure::runtime {

// Does somebody have to read the answer as soon as it comes, or is it read by whoever polls next?
enum class Pace : std::uint8_t { prompt, relaxed };

class Lines {
 public:
  // What has come, for the core. Messages are hints.
  struct Heard {
    News news{};
    std::vector<std::pair<core::NodeIndex, WakeUp>> wake_ups{};
    std::vector<core::FleetChange> changes{};
    std::vector<std::pair<core::NodeIndex, bool>> listening{};  // from now on, or no more

    bool empty() const {
      return news.answers.empty() && news.admitted.empty() && wake_ups.empty() && changes.empty() &&
             listening.empty();
    }
  };

  Lines(std::vector<std::shared_ptr<Node>> nodes, std::string owner, core::Random random);

  // What is asked leaves with the next flush(). The pace is that of releases; of the rest it follows from its kind.
  Heard perform(core::Effects& effects, core::Time now, Pace releases);
  Heard flush(core::Time now);
  // Was something asked and not flushed?
  bool unsent() const;
  Heard on_ready(std::span<const Awaited> ready, core::Time now);
  Heard on_timer(core::Time now);
  // All connections, as not to be trusted any more.
  Heard drop(const core::Failure& why, core::Time now);

  // The fleet's heartbeats are there, if not on the first node. The connections to where those of the last fleet were are
  // closed: the same address may come with another password, or other TLS.
  Heard begin_fleet(std::shared_ptr<Node> data, const std::string& fleet, core::Time now);
  void end_fleet() { changes_.reset(); }

  std::vector<Awaited> awaited() const;
  // Is that still all that is awaited?
  bool awaits(std::span<const Awaited> polled) const;
  // When on_timer is due, if at all.
  std::optional<core::Time> wake() const;
  // Is something asked and not answered?
  bool waiting() const;
  // Must somebody poll now? A prompt answer is missing, a connection cannot take more, or an answer is overdue.
  bool pressing() const;
  // What was asked before the last look back and is not answered yet is overdue from now on.
  void look_back();
  // Are so many nodes silent that the others are no majority? Or is it the one with the heartbeats?
  bool majority_waits() const;

  const Node& node(core::NodeIndex index) const { return *nodes_.at(index); }
  core::NodeIndex data_index() const { return static_cast<core::NodeIndex>(nodes_.size()); }
  // None: the heartbeats of the fleet are on the first node.
  const Node* data() const { return data_.get(); }

  // What was asked of a node, and what came of it.
  struct Traffic {
    std::optional<bool> up{};  // was the last request answered, be it by an error?
    Histogram round_trip{};
    std::uint64_t failures = 0;
  };
  const Traffic& traffic(core::NodeIndex node) const { return traffic_.at(node); }
  // How long nodes took to answer renewals.
  const Histogram& renewal() const { return renewal_; }

 private:
  // What is asked of a node with the same patience.
  struct Line {
    core::NodeIndex node = 0;
    int patience = 0;
    std::unique_ptr<Connection> connection;
    bool unsent = false;  // asked and not flushed
    // How many were asked and answered so far; how many had been asked at the last look back, and of how many the answer is
    // overdue since.
    std::uint64_t asked = 0;
    std::uint64_t answered = 0;
    std::uint64_t asked_before = 0;
    std::uint64_t overdue = 0;
    InFlight in_flight{};

    Awaited awaited() const;
  };

  Line& line_for(const core::Send& send);
  // Calls the connection, and counts the answers that come of it.
  template <class Call>
  void call(Line& line, News& news, core::Time now, const Call& what);
  void count(Line& line, const News::Answer& answer, core::Time now);
  template <class Visit>
  bool all_awaited(const Visit& visit) const;
  void listen(core::Time now);
  void note_listening(Heard& heard);
  void hear(Subscription& subscription, std::optional<core::NodeIndex> node, core::Time now, Heard& heard);

  std::vector<std::shared_ptr<Node>> nodes_;
  std::shared_ptr<Node> data_;  // it has the index behind those of the nodes
  std::string owner_;
  core::Random random_;
  std::deque<Line> lines_;                               // of the nodes none ever goes
  std::vector<std::unique_ptr<Subscription>> wake_ups_;  // by node; none before somebody waits
  std::vector<bool> listening_;                          // by node, as was told
  std::unique_ptr<Subscription> changes_;                // of the fleet
  std::vector<Traffic> traffic_;                         // by node, and behind them where the heartbeats are
  Histogram renewal_;
  std::unordered_set<core::RequestId> prompt_;  // asked and not answered, and to be read at once
};

}  // namespace tenure::runtime
