#include <deque>

#include "benches.hpp"
#include "client_of.hpp"
#include "cores.hpp"
#include "floor.hpp"
#include "relayed.hpp"
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

Row measured(std::size_t waiters, Stage& stage) {
  test::Nodes nodes = start_nodes(1);
  const std::size_t participants = waiters + 1;
  const ByHand by_hand(nodes[0].socket_path(), participants);
  const auto open = [&] { return client_of(nodes); };
  const ByTenure apart(open, "apart", participants, ByTenure::Clients::one_each);
  const ByTenure together(open, "together", participants, ByTenure::Clients::one);
  const ByTenure scopes(open, "scopes", participants, ByTenure::Clients::one_each,
                        ByTenure::Ends::with_scope);
  const std::size_t times = participants * (waiters == 1 ? 100 : 20);
  const auto block = [&](const auto& by) { return [&] { return pass_on(by.all(), times); }; };
  constexpr const char* ours = "Tenure, a client each";
  constexpr const char* scope_ends = "Tenure, a client each, a scope ends";
  Row row{
      "handover" + std::to_string(waiters),
      "Hand-over of a lock, " + std::to_string(waiters) + (waiters == 1 ? " waiter" : " waiters"),
      "So many wait, one holds: each holds the lock for a millisecond, gives it back, and asks again when "
      "the next one has it. Measured is from just before the release to the return of the next owner's "
      "acquire. *In order* is the share of hand-overs to who had asked first; *fairness* is 1 where all got "
      "it as often. The floor waits by BLPOP and takes the key by SET NX PX; its owner gives back by DEL and "
      "RPUSH, and would lose the lock for ever if it died. *A scope ends* is an owner whose release is sent "
      "by the destructor of its lease, which waits for no answer. etcd writes each step to disk and is "
      "reached by its JSON gateway; Redis here keeps nothing on disk.",
      "p99"};
  std::vector<Relayed> all{{"A  BLPOP", Kind::floor, block(by_hand)},
                           {ours, Kind::tenure, block(apart)},
                           {scope_ends, Kind::tenure, block(scopes)},
                           {"Tenure, one client for all", Kind::tenure, block(together)}};
  const auto peers = stage.peers(nodes[0].socket_path());
  for (const auto& peer : peers) all.push_back(relayed_by(*peer, waiters, waiters == 1 ? 10 : 34));
  row.entries = measure(all, stage.quick() ? 1 : 3);
  const auto slower = row.speed("A  BLPOP", ours);
  row.goals = {
      {"p99 of a client each / A's", slower, Goal::Side::at_most, 2, Unit::times,
       "A release also tells others in the queue when to look, should the first be silent: of 16 waiters six "
       "more wake, and on one core they run beside the next owner. Needed would be to tell them only once "
       "the first is late, by somebody who is not the one that may die."}};
  const auto after_release = row.find(ours, "p50");
  const auto after_scope = row.find(scope_ends, "p50");
  row.goals.push_back(
      {"p50 after a scope / that after release()",
       after_release && after_scope ? std::optional(*after_scope / *after_release) : std::nullopt,
       Goal::Side::at_most, 1.1, Unit::times,
       "What a destructor sends must leave at once, as what release() sends."});
  if (waiters == 1) return row;  // the two cannot but take turns
  row.goals.push_back({"in order", row.find(ours, "in order"), Goal::Side::at_least, 100, Unit::percent});
  row.goals.push_back({"fairness (Jain)", row.find(ours, "fairness (Jain)"), Goal::Side::at_least, 0.99});
  return row;
}

}  // namespace

Rows lock_hand_over(Stage& stage) { return {measured(1, stage), measured(16, stage)}; }

}  // namespace tenure::bench
