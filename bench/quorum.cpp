#include <algorithm>
#include <array>
#include <deque>

#include "benches.hpp"
#include "client_of.hpp"
#include "cores.hpp"
#include "crowd.hpp"
#include "floor_calls.hpp"
#include "measure.hpp"
#include "stage.hpp"

namespace tenure::bench {

namespace {

constexpr std::size_t node_count = 3;

// One thread with a connection to each node, which keeps the requests of all callers under way.
class ByHand {
 public:
  ByHand(test::Nodes& nodes, std::size_t callers) : answers_(callers) {
    for (std::size_t node = 0; node < node_count; ++node) redis_.emplace_back(nodes[node].socket_path());
    for (std::size_t i = 0; i < callers; ++i) {
      callers_.push_back({"redlock:q" + std::to_string(i), {}, {}});
      for (Floor& node : redis_) {
        callers_.back().same.emplace_back(node);
        callers_.back().plain.emplace_back(node);
      }
    }
  }

  // SET NX PX everywhere, and compare-delete everywhere: a lock without a token.
  void one_round() {
    ask([](Caller& it, std::size_t node, core::Token) { return it.plain[node].acquire(it.key); });
    ask([](Caller& it, std::size_t node, core::Token) { return it.plain[node].release(it.key); });
  }
  // Tenure's scripts: a round that asks for the name, one that tells the token, one that gives it back.
  void two_rounds() {
    ask([](Caller& it, std::size_t node, core::Token) { return it.same[node].acquire(it.key); });
    ask([](Caller& it, std::size_t node, core::Token highest) {
      return it.same[node].confirm(it.key, highest + 1);
    });
    ask([](Caller& it, std::size_t node, core::Token) { return it.same[node].release(it.key); });
  }

 private:
  struct Caller {
    std::string key;
    std::vector<SameScripts> same;
    std::vector<PlainSet> plain;
  };

  // A request of each caller to each node, then all answers. Of numbers, the highest is what the next round hears.
  template <class Call>
  void ask(const Call& call) {
    for (std::size_t i = 0; i < callers_.size(); ++i) {
      for (std::size_t node = 0; node < node_count; ++node)
        redis_[node].send(call(callers_[i], node, answers_[i]));
    }
    // What the first reply is waited for would send alone: the other nodes are to work meanwhile.
    for (Floor& node : redis_) node.flush();
    for (core::Token& answer : answers_) answer = 0;
    for (Floor& node : redis_) {
      for (core::Token& answer : answers_) {
        const auto reply = node.receive();
        if (reply->type == REDIS_REPLY_INTEGER)
          answer = std::max(answer, static_cast<core::Token>(reply->integer));
      }
    }
  }

  std::deque<Floor> redis_;
  std::vector<Caller> callers_;
  std::vector<core::Token> answers_;
};

Row measured(std::size_t callers, Stage& stage) {
  test::Nodes nodes = start_nodes(node_count);
  ByHand by_hand(nodes, callers);
  const Client client = client_of(nodes);
  std::vector<Lock> locks;
  for (std::size_t i = 0; i < callers; ++i) locks.push_back(client.lock("t" + std::to_string(i)));
  const int cycles = callers == 1 ? 200 : 10;
  const auto work = static_cast<double>(callers) * cycles;
  const auto repeat = [&](auto cycle) {
    return [=] {
      return timed([=] {
        for (int i = 0; i < cycles; ++i) cycle();
      });
    };
  };
  const auto ours = repeat([&] { expect(locks.front().try_acquire()); });
  std::optional<Crowd> crowd;  // who is alone needs no thread, and pays for none
  if (callers > 1) {
    crowd.emplace(callers, [&](std::size_t i) {
      for (int k = 0; k < cycles; ++k) expect(locks[i].try_acquire());
    });
  }
  const auto ours_together = [&] { return timed([&] { crowd->block(); }); };
  Row row{callers == 1 ? "quorum" : "quorum64",
          "A majority of three nodes, " +
              (callers == 1 ? std::string("one caller")
                            : std::to_string(callers) + " callers with names of their own"),
          "Acquire and release on three nodes. Tenure's grants carry a token that grows over all grants, "
          "for which a second round is needed, as in A; B is what a lock without tokens needs. Both floors "
          "wait for all three nodes; Tenure goes on when two have answered.",
          time_column};
  std::vector<Contestant> all{
      {"A  two rounds, the same scripts", Kind::floor, repeat([&] { by_hand.two_rounds(); }), work},
      {"B  one round, SET NX PX", Kind::floor, repeat([&] { by_hand.one_round(); }), work},
      {"Tenure", Kind::tenure, crowd ? std::function<Took()>(ours_together) : ours, work}};
  const auto peers =
      stage.quorum_peers({nodes[0].socket_path(), nodes[1].socket_path(), nodes[2].socket_path()});
  for (const auto& peer : peers) all.push_back(cycles_of(*peer, static_cast<int>(callers)));
  row.entries = measure(all, stage.rounds());
  row.goals = {{"speed / node-redlock's", speed_of_fastest_peer(row, "Tenure", stage), Goal::Side::at_least,
                1, Unit::times,
                "Tenure needs three rounds to node-redlock's two, because its grants carry a token. With "
                "many callers, each is a thread that sleeps and is woken twice a cycle."}};
  return row;
}

}  // namespace

Rows quorum(Stage& stage) { return {measured(1, stage), measured(64, stage)}; }

}  // namespace tenure::bench
