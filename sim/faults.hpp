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
  remove,     // somebody deletes a lease by hand: this breaks an assumption, so "all" leaves it out
};

inline constexpr std::array<std::string_view, 14> fault_names{
    "delay",   "loss",  "duplicate", "partition", "oneway", "drift", "pause",
    "suspend", "crash", "flush",     "slow",      "close",  "error", "remove"};

using Faults = std::bitset<fault_names.size()>;

inline bool has(const Faults& faults, Fault fault) { return faults[static_cast<std::size_t>(fault)]; }

// "none", "all" (that keep the assumptions) and names, separated by commas; nothing when one is unknown.
std::optional<Faults> read_faults(std::string_view text);

}  // namespace tenure::sim
