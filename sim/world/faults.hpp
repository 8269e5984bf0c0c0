// The faults that a world may be given, by name.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tenure::sim {

enum class Fault : std::uint8_t {
  delay,      // a heavy tail: some messages take longer than anybody waits
  loss,       // a connection goes silent
  duplicate,  // a request reaches the node a second time, later
  partition,  // a client and the node are cut off; what is under way is lost, or held and then delivered
  oneway,     // the same in one direction
  drift,      // clocks run at rates that differ up to the promised bound
  pause,      // a process stops and goes on (SIGSTOP)
  suspend,    // a machine sleeps: clocks other than the boot clock stand still
  crash,      // a process dies and another is started
  flush,      // SCRIPT FLUSH
  slow,       // the node answers late, or not for a while
  close,      // the node closes a connection
  error,      // the node refuses all scripts for a while, as when it loads its data
  skew,       // the wall clocks of machines are off, and a node's may be off differently after a restart
  restart,    // the node restarts with all its data
  rollback,   // the node restarts with older data, or a replica that lags behind takes its place
  wipe,       // the node restarts with no data
  flushall,   // everything is deleted, and no connection is closed
  // These break an assumption, so "all" leaves them out.
  remove,  // somebody deletes a lease by hand
  step,    // somebody sets the wall clock of a node that runs
  // These are asked for by name, too: in worlds without them every seed draws the same faults as before.
  fence,    // somebody deletes the counter of tokens by hand
  restore,  // the data of a node that runs goes back to what it was, and no connection is closed
  reconfigure,  // somebody changes which nodes decide, or the cap, or dies while at it; many still have the old list
  failover,  // a replica that lags takes over; the old master, which no replica follows, refuses to write for those it still has
  split,     // the same, and the old master goes on taking writes
  reshard,   // a slot of a Cluster moves to another server, one key after the other
};

inline constexpr std::array<std::string_view, 26> fault_names{
    "delay",  "loss", "duplicate", "partition", "oneway",      "drift",    "pause",    "suspend", "crash",
    "flush",  "slow", "close",     "error",     "skew",        "restart",  "rollback", "wipe",    "flushall",
    "remove", "step", "fence",     "restore",   "reconfigure", "failover", "split",    "reshard"};
inline constexpr std::size_t faults_within_assumptions = 18;
inline constexpr std::size_t faults_drawn_always = 20;
// The others are drawn beside these.
inline constexpr std::size_t faults_drawn_together = 23;

using Faults = std::bitset<fault_names.size()>;
using FaultCounts = std::array<std::uint64_t, fault_names.size()>;

inline bool has(const Faults& faults, Fault fault) { return faults[static_cast<std::size_t>(fault)]; }

// "none", "all" (that keep the assumptions) and names, separated by commas; nothing when one is unknown.
std::optional<Faults> read_faults(std::string_view text);

}  // namespace tenure::sim
