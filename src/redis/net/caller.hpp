// One Redis, asked and waited for on the calling thread: for commands of the program that ask something once, and for work
// that has a thread of its own. Leases do not go through here.
#pragma once

#include <memory>
#include <span>
#include <tl/expected.hpp>
#include <vector>

#include "core/base/time.hpp"
#include "core/message.hpp"
#include "redis/script_call.hpp"
#include "redis/url.hpp"
#include "redis/value.hpp"
#include "runtime/net/tls.hpp"

namespace tenure::redis {

class Caller {
 public:
  // Connects and greets, within the timeout. An address that asks for TLS needs it to be set up.
  static tl::expected<Caller, core::Failure> connect(const Address& address, core::Duration timeout,
                                                     const runtime::Tls& tls = {});
  ~Caller();
  Caller(Caller&&) noexcept;
  Caller& operator=(Caller&&) noexcept;

  // Where Sentinels named the server, and nothing was said to it for a second, they are asked again before anything else is: it may have
  // been replaced. Every call begins so. True: from now on it is another server, or another life of it, which may not have what
  // the one before had. While they are silent it stays the same. After a Failure the connection is closed.
  tl::expected<bool, core::Failure> confirm();

  // An error that Redis answers with is a Failure, too. After any other the connection is closed; and where Sentinels named the
  // server, also when it says that it is a replica now.
  tl::expected<Value, core::Failure> call(const Command& command);
  // Until then, instead of within the timeout.
  tl::expected<Value, core::Failure> call(const Command& command, core::Time deadline);
  // All of them in one go, answered in their order within the timeout. An error that Redis answers with is one of the
  // values; after a Failure nobody knows how many of them were done.
  tl::expected<std::vector<Value>, core::Failure> call_all(std::span<const Command> commands);

 private:
  struct State;
  explicit Caller(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tenure::redis
