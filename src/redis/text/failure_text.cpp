#include "redis/text/failure_text.hpp"

#include "runtime/text/refusal_text.hpp"

namespace tenure::redis {

std::string failure_text(const Address& address, const core::Failure& failure) {
  return to_text(address) + ": " + failure.detail;
}

std::string failures_text(const std::vector<core::NodeFailure>& failures, const Nodes& nodes) {
  return runtime::failures_text(failures, nodes.names());
}

}  // namespace tenure::redis
