#include "cli/refusal_text.hpp"

#include "core/record.hpp"
#include "core/text.hpp"

namespace tenure::cli {

namespace {

using core::RefusalCode;

// Rounded up: after that time it is worth looking again.
std::string left_text(core::Ttl left) {
  using namespace std::chrono;
  if (left >= seconds(10)) return core::shown(ceil<seconds>(left));
  if (left >= seconds(1)) return core::shown(ceil<duration<long, std::deci>>(left));
  return core::shown(left);
}

std::string not_open_text(const std::string& text, const Node& node) {
  if (text.empty()) {
    const bool usual = node.keyspace.prefix == redis::Keyspace{}.prefix;
    return "This Redis has no record of Tenure: new, or its data was lost. If it is new: tenure init "
           "--redis " +
           redis::shown(node.address) + (usual ? "" : " --prefix " + node.keyspace.prefix);
  }
  const auto record = core::read_record(text);
  const std::string where = redis::shown(node.address) + ": ";
  if (!record) {
    return where + "the key " + node.keyspace.record() + " is not a record of Tenure: \"" +
           core::printable(text, 60) + "\"";
  }
  if (record->cap != node.keyspace.cap) {
    const std::string cap = core::shown(record->cap);
    return where + "the cap of this Redis is " + cap + ", ours is " + core::shown(node.keyspace.cap) +
           ": use --ttl-max " + cap;
  }
  return where + "gives no new leases for now: its state is \"" + core::printable(record->state, 60) + "\"";
}

std::string failures_text(const core::Refusal& refusal, const Node& node) {
  // One node for now: more than one sentence would say the same twice.
  if (refusal.failures.empty()) return redis::shown(node.address) + ": no answer";
  return failure_text(node.address, refusal.failures.front().failure);
}

}  // namespace

std::string holder_text(const core::Held& held) {
  // Names of others are shown to a terminal: made harmless, and cut.
  const std::string owner = core::printable(held.holder.owner);
  if (held.holder.token == 0) {
    // A key that is not a string, a list for example, has nothing to show.
    const std::string what = owner.empty() ? "something that" : "\"" + owner + "\", which";
    return "held by " + what + " Tenure did not write, " +
           (held.left < core::Ttl::zero() ? "with no expiry" : "for another " + left_text(held.left));
  }
  const std::string token = " (token " + std::to_string(held.holder.token) + ")";
  if (held.left < core::Ttl::zero()) return "held by " + owner + " with no expiry" + token;
  return "held by " + owner + " for another " + left_text(held.left) + token;
}

std::string failure_text(const redis::Address& address, const core::Failure& failure) {
  return redis::shown(address) + ": " + failure.detail;
}

RefusalText refusal_text(const core::Refusal& refusal, const std::string& name, const Node& node) {
  switch (refusal.code) {
    case RefusalCode::held:
      return {ExitCode::busy, name + " is " + (refusal.held ? holder_text(*refusal.held) : "held")};
    case RefusalCode::waited:
      return {ExitCode::waited,
              "waited too long for " + name +
                  (refusal.held ? ": " + holder_text(*refusal.held) : ": " + failures_text(refusal, node))};
    case RefusalCode::not_open:
      return {ExitCode::not_open, not_open_text(refusal.record, node)};
    case RefusalCode::too_slow:
      return {ExitCode::no_quorum,
              redis::shown(node.address) + ": granted " + name +
                  ", but its answer took so long that the lease was of no use; it was given back"};
    case RefusalCode::no_quorum:
      return {ExitCode::no_quorum, failures_text(refusal, node)};
    case RefusalCode::cancelled:
      break;
  }
  return {ExitCode::own_error, "the attempt to acquire " + name + " was cancelled"};
}

}  // namespace tenure::cli
