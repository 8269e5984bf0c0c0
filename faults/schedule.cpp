#include "faults/schedule.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/random.hpp"

namespace tenure::faults {

namespace {

using namespace std::chrono_literals;
using core::Duration;

// How often a kind is drawn, compared with others, and how long it lasts.
struct Chance {
  Kind kind;
  unsigned weight;
  Duration shortest;
  Duration longest;
};

constexpr Chance step_back{Kind::step_back, 2, 0ms, 0ms};
constexpr Chance step_forward{Kind::step_forward, 2, ttl + 1s, ttl + 1s};
bool is_step(Kind kind) { return kind == Kind::step_back || kind == Kind::step_forward; }

const std::vector<Chance> node_chances{
    step_back,
    step_forward,
    {Kind::kill_node, 5, 0ms, 3s},
    {Kind::stop_node, 4, 500ms, 5s},
    {Kind::cut_node, 2, 1s, 5s},
    {Kind::flush, 3, 0ms, 0ms},
    {Kind::flush_two, 3, 0ms, 0ms},
    {Kind::remove_lease, 5, 0ms, 0ms},
    {Kind::fill, 3, 1s, 5s},
    {Kind::forget_scripts, 4, 0ms, 0ms},
    {Kind::block, 2, 2s, 6s},
};
// Of the Redis of the sessions: what costs no data.
const std::vector<Chance> data_chances{
    {Kind::stop_node, 2, 500ms, 5s},
    {Kind::forget_scripts, 1, 0ms, 0ms},
};
const std::vector<Chance> client_chances{
    {Kind::stop_client, 10, 1s, 6s},
    {Kind::stop_supervisor, 12, 2s, 6s},
    {Kind::cut_client, 5, 1s, 8s},
    {Kind::lose_answers, 4, 500ms, 5s},
    {Kind::lose_requests, 4, 500ms, 5s},
    {Kind::hold, 5, 500ms, 7s},
    {Kind::replay, 6, 0ms, 0ms},
    {Kind::delay, 4, 1s, 6s},
    {Kind::split, 3, 1s, 5s},
    {Kind::kill_client, 4, 0ms, 3s},
    {Kind::kill_supervisor, 4, 0ms, 3s},
    {Kind::end_client, 3, 0ms, 2s},
};

// From one fault to the next.
struct Gap {
  Duration least;
  Duration most;
};

// A storm is over the nodes, over the clients or over both: where nodes forget all the time, nobody owns anything that
// could be lost.
struct Style {
  Gap node_gap;
  Gap client_gap;
};
constexpr std::array<Style, 3> styles{{
    {{600ms, 3s}, {800ms, 3s}},
    {{5s, 12s}, {100ms, 800ms}},
    {{1s, 5s}, {150ms, 1200ms}},
}};

class Scheduler {
 public:
  Scheduler(std::uint64_t seed, Duration length, const Crowd& crowd)
      : random_(seed),
        crowd_(crowd),
        end_(length - calm_end),
        free_nodes_(crowd.nodes + 1),
        free_clients_(crowd.targets()) {}

  std::vector<Fault> schedule() {
    Duration storm = 2s;
    while (storm < end_) {
      const Duration over = std::min(storm + random_.between(14s, 24s), end_);
      const Style& style = styles.at(random_.below(styles.size()));
      strike_nodes(storm, over, style.node_gap);
      strike_clients(storm, over, style.client_gap);
      storm = over + random_.between(6s, 9s);
    }
    std::ranges::sort(faults_, {}, [](const Fault& it) { return std::tuple(it.at, it.kind, it.whom); });
    for (std::size_t i = 0; i < faults_.size(); ++i) faults_[i].id = i;
    return std::move(faults_);
  }

 private:
  const Chance& draw(const std::vector<Chance>& chances) {
    unsigned all = 0;
    for (const Chance& chance : chances) all += chance.weight;
    auto left = random_.below(all);
    for (const Chance& chance : chances) {
      if (left < chance.weight) return chance;
      left -= chance.weight;
    }
    return chances.front();
  }

  void strike_nodes(Duration from, Duration until, const Gap& gap) {
    for (Duration at = from; at < until; at += random_.between(gap.least, gap.most)) {
      std::size_t node = random_.below(crowd_.nodes + 1);
      Chance chance = draw(node == crowd_.data() ? data_chances : node_chances);
      if (wrong_ && is_step(chance.kind)) {  // then it goes back to where it was
        node = wrong_->node;
        chance = wrong_->by < 0 ? step_forward : step_back;
      }
      strike(at, until, node, chance, free_nodes_);
    }
  }

  void strike_clients(Duration from, Duration until, const Gap& gap) {
    for (Duration at = from; at < until; at += random_.between(gap.least, gap.most)) {
      const Chance& chance = draw(client_chances);
      // Half of them hit who has something to lose. A supervisor that supervises nothing is not worth stopping.
      const bool owner = chance.kind == Kind::stop_supervisor || random_.below(2) == 0;
      const std::size_t client =
          owner ? crowd_.lock_owner() + random_.below(3) : random_.below(crowd_.clients());
      strike(at, until, client, chance, free_clients_);
    }
  }

  void strike(Duration at, Duration until, std::size_t whom, const Chance& chance,
              std::vector<Duration>& free) {
    const Fault fault{
        0, at, chance.kind, random_.between(chance.shortest, chance.longest), whom, random_.next()};
    if (fault.at < free[whom] || fault.end() > until || !clocks_allow(fault)) return;
    // The next owner may be hit while this one still suffers.
    const bool anyone = &free == &free_clients_ && whom >= crowd_.clients();
    free[whom] = anyone ? fault.at : fault.end() + 300ms;
    faults_.push_back(fault);
  }

  // One clock at a time is wrong, and its next step comes when the clients have seen the last.
  bool clocks_allow(const Fault& fault) {
    if (!is_step(fault.kind)) return true;
    if (fault.at < next_step_) return false;
    wrong_ = wrong_ ? std::nullopt : std::optional(Wrong{fault.whom, fault.kind == Kind::step_back ? -1 : 1});
    next_step_ = fault.end() + cap * 11 / 10 + 400ms;
    return true;
  }

  struct Wrong {
    std::size_t node = 0;
    int by = 0;
  };

  core::Random random_;
  const Crowd& crowd_;
  Duration end_;
  std::vector<Duration> free_nodes_;
  std::vector<Duration> free_clients_;
  std::optional<Wrong> wrong_;
  Duration next_step_{};
  std::vector<Fault> faults_;
};

}  // namespace

std::vector<Fault> make_schedule(std::uint64_t seed, Duration length, const Crowd& crowd) {
  return Scheduler(seed, length, crowd).schedule();
}

std::string to_text(const Fault& fault, const Crowd& crowd) {
  const auto seconds = [](Duration it) { return std::chrono::duration<double>(it).count(); };
  const std::string whom = !is_of_node(fault.kind)      ? crowd.name(fault.whom)
                           : fault.whom == crowd.data() ? "data"
                                                        : "node-" + std::to_string(fault.whom + 1);
  std::array<char, 160> line{};
  std::snprintf(line.data(), line.size(), "%8.3f s  %-6s %-17s %-12s %6.3f s", seconds(fault.at),
                number(fault.kind).data(), name(fault.kind).data(), whom.c_str(), seconds(fault.length));
  return line.data();
}

}  // namespace tenure::faults
