#include "runtime/text/quarantine_text.hpp"

#include <algorithm>

#include "core/base/text.hpp"

namespace tenure::runtime {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

seconds in_whole_seconds(core::Duration duration) {
  return std::max(std::chrono::ceil<seconds>(duration), seconds(1));
}

}  // namespace

QuarantineLeft quarantine_left(const core::Record& record, std::int64_t wall_now_ms) {
  const auto since = std::max(milliseconds(wall_now_ms - record.made_ms), milliseconds::zero());
  const core::Duration length = core::quarantine_length(record.longest);
  QuarantineLeft left;
  if (since < length) left.if_waited = in_whole_seconds(length - since);
  // If nobody was there to sit it out, it ends at the first try after twice the cap.
  // Not where several nodes had no record: one call alone does not open these.
  const bool by_one_call = !record.unknown() || core::nodes_in(record.terms.set) == 1;
  left.at_most =
      in_whole_seconds(by_one_call ? std::min(length, 2 * core::Duration(record.longest) - since) : length);
  return left;
}

std::string left_text(const QuarantineLeft& left) {
  const std::string at_most = within_text(left.at_most);
  if (!left.if_waited || left.if_waited == left.at_most)
    return "new grants " + at_most + ", once a client waits for them";
  return "new grants in " + core::to_text(in_whole_seconds(*left.if_waited)) +
         " if a client has been waiting, otherwise " + at_most + ", once one waits";
}

std::string within_text(core::Duration duration) {
  return "within " + core::to_text(in_whole_seconds(duration));
}

}  // namespace tenure::runtime
