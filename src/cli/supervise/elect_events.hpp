// What happens in an election, one line on stdout for each event, written at once.
#pragma once

#include <atomic>
#include <optional>
#include <stop_token>
#include <string>

#include "core/notice.hpp"
#include "runtime/net/descriptor.hpp"

namespace tenure::cli {

class ElectEvents {
 public:
  ElectEvents(std::string name, bool json);

  void elected(core::Token term);
  void lost(core::LossReason reason, core::Token term, bool drained);
  void leader(const std::optional<core::Holder>& now);

  // Until stopped, or nobody reads the lines any more.
  void wait(const std::stop_token& stop);
  // Were all lines taken, so far?
  bool all_read() const { return !unread_; }

 private:
  bool can_write();
  void write(const std::string& line);

  std::string name_;
  bool json_;
  runtime::Descriptor wake_;
  std::atomic<bool> unread_ = false;
};

}  // namespace tenure::cli
