#include "core/lease/proposer.hpp"

#include <algorithm>

#include "core/nodes.hpp"

namespace tenure::core {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

// A node that has not told the time for so long while others have may be away for good: what its clock shows is of no use.
constexpr Duration look_lag_max = seconds(10);

// Tokens further ahead of the clocks than this are of a node whose clock is ahead, or no tokens of Tenure. To propose more
// would be in vain on all other nodes.
constexpr Token ahead_max = std::chrono::duration_cast<microseconds>(milliseconds(100)).count();

// What a clock shows at the least, by a look at it. Clocks that are kept in step by NTP differ in rate by less than a
// thousandth; one that is set faster costs a second round until it is looked at again.
Duration shows_by_now(const ClockWatch::Look& look, Time now) {
  const Duration since = now - look.before;
  return look.shown + since - since / 1000;
}

}  // namespace

Token Proposer::propose(Time now) {
  const auto floor = time_of_nodes(now);
  if (!floor) return 0;
  last_ = std::max({*floor, last_ + 1, known_ + 1});
  return last_;
}

void Proposer::on_token(Token token, Time now) {
  if (token <= known_) return;
  const auto floor = time_of_nodes(now);
  if (floor && token <= *floor + ahead_max) known_ = token;
}

// The smallest, in microseconds, so that no node finds a proposal ahead of its clock.
std::optional<Token> Proposer::time_of_nodes(Time now) const {
  if (clocks_.nodes() == 1) return std::nullopt;
  Time newest = long_ago;
  for (NodeIndex node = 0; node < clocks_.nodes(); ++node) {
    if (const auto look = clocks_.last_look(node)) newest = std::max(newest, look->before);
  }
  std::size_t known = 0;
  Duration smallest = Duration::max();
  for (NodeIndex node = 0; node < clocks_.nodes(); ++node) {
    const auto look = clocks_.last_look(node);
    if (!look || look->before < newest - look_lag_max || clocks_.distrusted_until({node}, now)) continue;
    known += 1;
    smallest = std::min(smallest, shows_by_now(*look, now));
  }
  if (known < quorum_of(clocks_.nodes()) || smallest < Duration::zero()) return std::nullopt;
  return static_cast<Token>(std::chrono::duration_cast<microseconds>(smallest).count());
}

}  // namespace tenure::core
