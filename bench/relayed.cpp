#include "relayed.hpp"

#include <exception>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "measure.hpp"

namespace tenure::bench {

namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

struct Sum {
  std::vector<double> seconds{};
  std::vector<double> kept{};
  std::vector<double> jain{};
  std::string failure{};

  void add(const HandOvers& block) {
    seconds.insert(seconds.end(), block.seconds.begin(), block.seconds.end());
    kept.push_back(block.kept);
    jain.push_back(block.jain);
  }
};

}  // namespace

ByTenure::ByTenure(const std::function<Client()>& open, const std::string& name, std::size_t participants,
                   Clients clients, Ends ends) {
  for (std::size_t i = 0; i < participants; ++i) {
    if (i == 0 || clients == Clients::one_each) clients_.push_back(open());
    Own& own = own_.emplace_back(Own{clients_.back().lock(name), {}});
    const auto acquire = [&own] { own.lease = expect(own.lock.acquire()); };
    if (ends == Ends::with_scope) {
      all_.push_back({acquire, [&own] { own.lease.reset(); }});
    } else {
      all_.push_back({acquire, [&own] { expect(own.lease->release()); }});
    }
  }
}

Relayed relayed_by(Peer& peer, std::size_t waiters, int times) {
  return {peer.name(), Kind::peer, [&peer, waiters, times] {
            const auto seen = peer.hand_over(static_cast<int>(waiters), times, Peer::Next::aside);
            if (!seen) throw std::runtime_error("it has no such thing");
            HandOvers block{{}, seen->kept, seen->jain};
            for (const double ms : seen->ms) block.seconds.push_back(ms / 1'000);
            return block;
          }};
}

std::vector<Entry> measure(const std::vector<Relayed>& all, int rounds) {
  std::vector<Sum> sums(all.size());
  for (int round = -1; round < rounds; ++round) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool slow = all[i].kind == Kind::peer;  // some of them sleep between tries
      if (!sums[i].failure.empty() || (slow && round < 0)) continue;
      try {
        const HandOvers block = all[i].block();
        if (round >= 0) sums[i].add(block);  // the first was for connections and scripts
      } catch (const std::exception& error) {
        if (all[i].kind != Kind::peer) throw;
        sums[i].failure = error.what();
      }
    }
  }
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Entry entry{all[i].name, all[i].kind, {}, sums[i].failure};
    if (entry.remark.empty()) {
      entry.figures = latencies(sums[i].seconds);
      entry.figures.push_back({"in order", mean(sums[i].kept) * 100, Unit::percent});
      entry.figures.push_back({"fairness (Jain)", mean(sums[i].jain), Unit::times});
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace tenure::bench
