// One PostgreSQL, asked and waited for on the calling thread: for commands of the program that ask something once, and for work
// that has a thread of its own. Leases do not go through here.
#pragma once

#include <memory>
#include <tl/expected.hpp>

#include "core/base/time.hpp"
#include "postgres/call.hpp"
#include "postgres/net/wire.hpp"

namespace tenure::postgres {

class Caller {
 public:
  // Connects within the timeout. The address lives longer than this.
  static tl::expected<Caller, core::Failure> connect(const Address& address, core::Duration timeout);

  // An error of the server is a Failure, too. After any other the connection is closed.
  tl::expected<Rows, core::Failure> call(const Call& call);
  // Until then, instead of within the timeout.
  tl::expected<Rows, core::Failure> call(const Call& call, core::Time deadline);
  bool connected() const { return wire_->connected(); }
  // Is it the server itself that we speak with, or a pooler?
  tl::expected<bool, core::Failure> is_direct();

 private:
  Caller(const Address& address, core::Duration timeout);
  tl::expected<void, core::Failure> dial(core::Time deadline);

  std::unique_ptr<Wire> wire_;
  core::Duration timeout_;
};

}  // namespace tenure::postgres
