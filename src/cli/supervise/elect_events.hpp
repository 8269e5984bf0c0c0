// What happens in an election, one line on stdout for each event, written at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "cli/endpoint/pulse.hpp"
#include "cli/notify.hpp"
#include "runtime/net/descriptor.hpp"
#include "tenure/election.hpp"

namespace tenure::cli {

class ElectEvents {
 public:
  // The pulse, if there is one, is at work while a line is written.
  ElectEvents(std::string name, bool json, Pulse* pulse = nullptr);

  void elected(std::uint64_t term);
  void lost(const TermEnd& end);
  void leader(const std::optional<Leader>& now);

  // Until stopped, or nobody reads the lines any more. Says that we are alive as long as it waits.
  void wait(const std::stop_token& stop, const Notify& notify);
  // Were all lines taken, so far?
  bool all_read() const { return !unread_; }

 private:
  bool can_write();
  void write(const std::string& line);

  std::string name_;
  bool json_;
  Pulse* pulse_;
  runtime::Descriptor wake_;
  std::atomic<bool> unread_ = false;
};

}  // namespace tenure::cli
