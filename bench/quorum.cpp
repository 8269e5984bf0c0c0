#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>

#include "benches.hpp"
#include "callbacks.hpp"
#include "client_of.hpp"
#include "cores.hpp"
#include "crowd.hpp"
#include "floor_calls.hpp"
#include "measure.hpp"
#include "stage.hpp"

namespace tenure::bench {

namespace {

constexpr std::size_t node_count = 3;

core::Token microseconds_now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<core::Token>(std::chrono::duration_cast<std::chrono::microseconds>(since).count());
}

// One thread with a connection to each node, which keeps the requests of all callers under way.
class ByHand {
 public:
  ByHand(test::Nodes& nodes, std::size_t callers) {
    for (std::size_t node = 0; node < node_count; ++node) redis_.emplace_back(nodes[node].socket_path());
    for (std::size_t i = 0; i < callers; ++i) {
      callers_.push_back({"redlock:q" + std::to_string(i), 0, {}, {}});
      for (Floor& node : redis_) {
        callers_.back().same.emplace_back(node);
        callers_.back().plain.emplace_back(node);
      }
    }
  }

  // SET NX PX everywhere, and compare-delete everywhere: a lock without a token.
  void one_round() {
    ask([](Caller& it, std::size_t node) { return it.plain[node].acquire(it.key); });
    ask([](Caller& it, std::size_t node) { return it.plain[node].release(it.key); });
  }
  // Tenure's scripts: a round that asks for the name and proposes its token, and one that gives it back.
  void one_round_with_token() {
    for (Caller& it : callers_) it.proposal = ++proposal_;
    ask([](Caller& it, std::size_t node) { return it.same[node].acquire(it.key, it.proposal); });
    ask([](Caller& it, std::size_t node) { return it.same[node].release(it.key); });
  }

 private:
  struct Caller {
    std::string key;
    core::Token proposal = 0;
    std::vector<SameScripts> same;
    std::vector<PlainSet> plain;
  };

  // A request of each caller to each node, then all answers.
  template <class Call>
  void ask(const Call& call) {
    for (Caller& it : callers_) {
      for (std::size_t node = 0; node < node_count; ++node) redis_[node].send(call(it, node));
    }
    // What the first reply is waited for would send alone: the other nodes are to work meanwhile.
    for (Floor& node : redis_) node.flush();
    for (Floor& node : redis_) {
      for (std::size_t i = 0; i < callers_.size(); ++i) node.receive();
    }
  }

  std::deque<Floor> redis_;
  std::vector<Caller> callers_;
  // Behind the clocks of the nodes, and above their counters, which grow by one for each grant that proposes nothing.
  core::Token proposal_ = microseconds_now() - 1'000'000;
};

Row measured(std::size_t callers, Stage& stage) {
  test::Nodes nodes = start_nodes(node_count);
  ByHand by_hand(nodes, callers);
  const Client client = client_of(nodes);
  std::vector<Lock> locks;
  for (std::size_t i = 0; i < callers; ++i) locks.push_back(client.lock("t" + std::to_string(i)));
  std::vector<Lock> own_names;
  for (std::size_t i = 0; i < callers; ++i) own_names.push_back(client.lock("e" + std::to_string(i)));
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
  std::optional<Callbacks> callbacks;
  if (callers > 1) callbacks.emplace(client, own_names, cycles);
  const auto ours_by_callbacks = [&] { return timed([&] { callbacks->block(); }); };
  Row row{
      callers == 1 ? "quorum" : "quorum64",
      "A majority of three nodes, " + (callers == 1
                                           ? std::string("one caller")
                                           : std::to_string(callers) + " callers with names of their own"),
      "Acquire and release on three nodes. Tenure's grants carry a token that grows over all grants: the "
      "client proposes it, as A does; B is a lock without tokens. Both floors wait for all three nodes; "
      "Tenure goes on when two have answered. Its callers that block end a scope, and do not wait for the "
      "release; all others do.",
      time_column};
  std::vector<Contestant> all{
      {"A  the same scripts, the token proposed", Kind::floor,
       repeat([&] { by_hand.one_round_with_token(); }), work},
      {"B  SET NX PX", Kind::floor, repeat([&] { by_hand.one_round(); }), work},
      {"Tenure", Kind::tenure, crowd ? std::function<Took()>(ours_together) : ours, work}};
  if (callbacks) all.push_back({"Tenure, callbacks", Kind::tenure, ours_by_callbacks, work});
  const auto peers =
      stage.quorum_peers({nodes[0].socket_path(), nodes[1].socket_path(), nodes[2].socket_path()});
  for (const auto& peer : peers) all.push_back(cycles_of(*peer, static_cast<int>(callers)));
  row.entries = measure(all, stage.rounds());
  if (callers == 1) {
    row.goals = {
        {"speed / node-redlock's", speed_of_fastest_peer(row, "Tenure", stage), Goal::Side::at_least, 1.2,
         Unit::times,
         "The scripts of a lock with a token and a queue take longer than a plain SET. Needed would be fewer "
         "calls inside them."}};
  } else {
    row.goals = {
        {"callbacks: speed / node-redlock's", speed_of_fastest_peer(row, "Tenure, callbacks", stage),
         Goal::Side::at_least, 1.5, Unit::times,
         "The three servers share a core, which the scripts of a lock with a token and a queue fill: "
         "compare A with B, which are hand-written. Needed would be fewer calls inside the two scripts, "
         "or a core for each server."},
        {"blocking: speed / node-redlock's", speed_of_fastest_peer(row, "Tenure", stage),
         Goal::Side::at_least, 1, Unit::times,
         "64 callers that block are 64 threads, each of which sleeps and is woken in every cycle. Needed "
         "would be fewer threads: see callbacks."}};
  }
  return row;
}

// How often did a majority mint different numbers, so that one had to be confirmed in a second round? Counted by the calls of
// scripts on the node that saw the fewest: a second round goes to all three, and a late answer is told the token alone.
double second_rounds(std::size_t clients, Stage& stage) {
  test::Nodes nodes = start_nodes(node_count);
  std::vector<Client> all;
  for (std::size_t i = 0; i < clients; ++i) all.push_back(client_of(nodes));
  const auto cycle = [&](std::size_t i, int times) {
    const Lock lock = all[i].lock("r" + std::to_string(i));
    for (int k = 0; k < times; ++k) expect(expect(lock.try_acquire()).release());
  };
  const int cycles = stage.quick() ? 100 : 500;
  Crowd warm(clients, [&](std::size_t i) { cycle(i, 5); });
  Crowd crowd(clients, [&](std::size_t i) { cycle(i, cycles); });
  const auto calls = [&] {
    std::vector<std::int64_t> each;
    for (std::size_t node = 0; node < node_count; ++node)
      each.push_back(test::calls_of(nodes[node], "evalsha"));
    return each;
  };
  warm.block();
  const auto before = calls();
  crowd.block();
  const auto after = calls();
  const auto grants = static_cast<std::int64_t>(clients) * cycles;
  std::int64_t least = grants;
  for (std::size_t node = 0; node < node_count; ++node)
    least = std::min(least, after[node] - before[node] - 2 * grants);
  return 100 * static_cast<double>(std::max<std::int64_t>(least, 0)) / static_cast<double>(grants);
}

Row rounds(Stage& stage) {
  Row row{"rounds", "Acquisitions of a majority of three nodes that needed a second round",
          "Each client acquires and releases a name of its own, as fast as it can, and proposes tokens "
          "against the others. A proposal that came too late, because another client's was minted first on "
          "some node, costs a second round."};
  for (const std::size_t clients : {1U, 4U, 16U}) {
    row.entries.push_back({std::to_string(clients) + (clients == 1 ? " client" : " clients"),
                           Kind::tenure,
                           {{"second rounds", second_rounds(clients, stage), Unit::percent}}});
  }
  return row;
}

}  // namespace

Rows quorum(Stage& stage) { return {measured(1, stage), measured(64, stage), rounds(stage)}; }

}  // namespace tenure::bench
