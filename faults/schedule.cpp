#include "faults/schedule.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/random.hpp"
#include "faults/chances.hpp"

namespace tenure::faults {

namespace {

using namespace std::chrono_literals;
using core::Duration;

bool is_step(Kind kind) { return kind == Kind::step_back || kind == Kind::step_forward; }

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
        chances_(faults::chances_of(crowd.store)),
        end_(length - calm_end),
        free_nodes_(crowd.servers()),
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
  const std::vector<Chance>& chances_of(std::size_t node) const {
    if (crowd_.alone()) return chances_.alone;
    return node == crowd_.data() ? chances_.data : chances_.node;
  }

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
      std::size_t node = random_.below(crowd_.servers());
      Chance chance = draw(chances_of(node));
      if (wrong_ && is_step(chance.kind)) {  // then it goes back to where it was
        node = wrong_->node;
        chance = wrong_->by < 0 ? step_forward : step_back;
      }
      strike(at, until, node, chance, free_nodes_);
    }
  }

  void strike_clients(Duration from, Duration until, const Gap& gap) {
    for (Duration at = from; at < until; at += random_.between(gap.least, gap.most)) {
      const Chance& chance = draw(chances_.client);
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
  const Chances& chances_;
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
