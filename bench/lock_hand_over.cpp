#include <deque>
#include <functional>
#include <numeric>

#include "benches.hpp"
#include "client_of.hpp"
#include "cores.hpp"
#include "floor.hpp"
#include "measure.hpp"
#include "relay.hpp"
#include "stage.hpp"

namespace tenure::bench {

namespace {

// The owner deletes the key and pushes a word; who waits is woken by BLPOP, in order, and sets the key.
class ByHand {
 public:
  ByHand(const std::string& socket, std::size_t participants) {
    for (std::size_t i = 0; i < participants; ++i) {
      Floor& redis = connections_.emplace_back(socket);
      all_.push_back({[&redis] {
                        redis.call({"BLPOP", free, "60"});
                        redis.call({"SET", key, "1", "NX", "PX", "30000"});
                      },
                      [&redis] {
                        redis.send({"DEL", key});
                        redis.send({"RPUSH", free, "1"});
                        redis.receive();
                        redis.receive();
                      }});
    }
    connections_.front().call({"RPUSH", free, "1"});
  }
  const std::vector<Participant>& all() const { return all_; }

 private:
  static constexpr const char* key = "bench:relay";
  static constexpr const char* free = "bench:relay:free";
  std::deque<Floor> connections_;
  std::vector<Participant> all_;
};

// Each with a client of its own, as if they were processes; or all with one.
class ByTenure {
 public:
  ByTenure(const test::Nodes& nodes, std::size_t participants, bool one_client) {
    const std::string name = one_client ? "together" : "apart";
    for (std::size_t i = 0; i < participants; ++i) {
      if (i == 0 || !one_client) clients_.push_back(client_of(nodes));
      Own& own = own_.emplace_back(Own{clients_.back().lock(name), {}});
      all_.push_back(
          {[&own] { own.lease = expect(own.lock.acquire()); }, [&own] { expect(own.lease->release()); }});
    }
  }
  const std::vector<Participant>& all() const { return all_; }

 private:
  struct Own {
    Lock lock;
    std::optional<Lease> lease;
  };
  std::vector<Client> clients_;
  std::deque<Own> own_;
  std::vector<Participant> all_;
};

struct Runner {
  std::string name;
  Kind kind = Kind::tenure;
  std::function<HandOvers()> block;
};

Runner runner_of(Peer& peer, std::size_t waiters) {
  const int times = waiters == 1 ? 10 : 34;
  return {peer.name(), Kind::peer, [&peer, waiters, times] {
            const auto seen = peer.hand_over(static_cast<int>(waiters), times, Peer::Next::aside);
            if (!seen) throw std::runtime_error("it has no such thing");
            HandOvers block{{}, seen->kept, seen->jain};
            for (const double ms : seen->ms) block.seconds.push_back(ms / 1'000);
            return block;
          }};
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// As many blocks of each, in turn.
std::vector<Entry> run(const std::vector<Runner>& runners, int rounds) {
  struct Sum {
    std::vector<double> seconds;
    std::vector<double> kept;
    std::vector<double> jain;
    std::string failure;
  };
  std::vector<Sum> sums(runners.size());
  for (int round = -1; round < rounds; ++round) {
    for (std::size_t i = 0; i < runners.size(); ++i) {
      const bool slow = runners[i].kind == Kind::peer;  // some of them sleep between tries
      if (!sums[i].failure.empty() || (slow && round < 0)) continue;
      try {
        const HandOvers block = runners[i].block();
        if (round < 0) continue;  // connections, scripts
        sums[i].seconds.insert(sums[i].seconds.end(), block.seconds.begin(), block.seconds.end());
        sums[i].kept.push_back(block.kept);
        sums[i].jain.push_back(block.jain);
      } catch (const std::exception& error) {
        if (runners[i].kind != Kind::peer) throw;
        sums[i].failure = error.what();
      }
    }
  }
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < runners.size(); ++i) {
    Entry entry{runners[i].name, runners[i].kind, {}, sums[i].failure};
    if (entry.remark.empty()) {
      entry.figures = latencies(sums[i].seconds);
      entry.figures.push_back({"in order", mean(sums[i].kept) * 100, Unit::percent});
      entry.figures.push_back({"fairness (Jain)", mean(sums[i].jain), Unit::times});
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

Row measured(std::size_t waiters, Stage& stage) {
  test::Nodes nodes = start_nodes(1);
  const std::size_t participants = waiters + 1;
  const ByHand by_hand(nodes[0].socket_path(), participants);
  const ByTenure apart(nodes, participants, false);
  const ByTenure together(nodes, participants, true);
  const std::size_t times = participants * (waiters == 1 ? 100 : 20);
  const auto block = [&](const auto& all) { return [&] { return pass_on(all.all(), times); }; };
  constexpr const char* ours = "Tenure, a client each";
  Row row{
      "handover" + std::to_string(waiters),
      "Hand-over of a lock, " + std::to_string(waiters) + (waiters == 1 ? " waiter" : " waiters"),
      "So many wait, one holds: each holds the lock for a millisecond, gives it back, and asks again when "
      "the next one has it. Measured is from just before the release to the return of the next owner's "
      "acquire. *In order* is the share of hand-overs to who had asked first; *fairness* is 1 where all got "
      "it as often. The floor waits by BLPOP and takes the key by SET NX PX; its owner gives back by DEL and "
      "RPUSH, and would lose the lock for ever if it died. etcd writes each step to disk and is reached by "
      "its JSON gateway; Redis here keeps nothing on disk.",
      "p99"};
  std::vector<Runner> runners{{"A  BLPOP", Kind::floor, block(by_hand)},
                              {ours, Kind::tenure, block(apart)},
                              {"Tenure, one client for all", Kind::tenure, block(together)}};
  const auto peers = stage.peers(nodes[0].socket_path());
  for (const auto& peer : peers) runners.push_back(runner_of(*peer, waiters));
  row.entries = run(runners, stage.quick() ? 1 : 3);
  const auto slower = row.speed("A  BLPOP", ours);
  row.goals = {
      {"p99 of a client each / A's", slower, Goal::Side::at_most, 2, Unit::times,
       "A release also tells others in the queue when to look, should the first be silent: of 16 waiters "
       "seven more wake, and on one core they run beside the next owner."}};
  if (waiters == 1) return row;  // the two cannot but take turns
  row.goals.push_back({"in order", row.find(ours, "in order"), Goal::Side::at_least, 100, Unit::percent});
  row.goals.push_back({"fairness (Jain)", row.find(ours, "fairness (Jain)"), Goal::Side::at_least, 0.99});
  return row;
}

}  // namespace

Rows lock_hand_over(Stage& stage) { return {measured(1, stage), measured(16, stage)}; }

}  // namespace tenure::bench
