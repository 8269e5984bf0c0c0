#include "postgres/net/caller.hpp"

#include <utility>

#include "runtime/boot_clock.hpp"
#include "runtime/net/wait_for.hpp"

namespace tenure::postgres {

using runtime::boot_now;

Caller::Caller(const Address& address, core::Duration timeout)
    : wire_(std::make_unique<Wire>(address)), timeout_(timeout) {}

tl::expected<Caller, core::Failure> Caller::connect(const Address& address, core::Duration timeout) {
  Caller caller(address, timeout);
  if (auto dialled = caller.dial(boot_now() + timeout); !dialled)
    return tl::unexpected(std::move(dialled.error()));
  return caller;
}

tl::expected<void, core::Failure> Caller::dial(core::Time deadline) {
  wire_->dial();
  while (true) {
    auto connected = wire_->on_dialing();
    if (!connected) return tl::unexpected(std::move(connected.error()));
    if (*connected) return {};
    const runtime::Awaited awaited = wire_->awaited();
    if (!runtime::wait_for(awaited.fd, awaited.events, deadline)) {
      wire_->close();
      return tl::unexpected(
          core::Failure{core::Applied::no, core::FailureCode::timed_out, core::silence.detail});
    }
  }
}

tl::expected<Rows, core::Failure> Caller::call(const Call& call) {
  return this->call(call, boot_now() + timeout_);
}

tl::expected<Rows, core::Failure> Caller::call(const Call& call, core::Time deadline) {
  if (!wire_->connected()) {
    return tl::unexpected(
        core::Failure{core::Applied::no, core::FailureCode::closed, "the connection is closed"});
  }
  const auto ended = [this](core::Failure why) {
    wire_->close();
    return tl::unexpected(std::move(why));
  };
  if (auto said = wire_->say(call); !said) return ended(std::move(said.error()));
  std::vector<Wire::Answer> answers;
  while (true) {
    if (auto flushed = wire_->flush(); !flushed) return ended(std::move(flushed.error()));
    auto read = wire_->read(answers);
    if (!answers.empty()) return std::move(answers.front());
    if (!read) return ended(std::move(read.error()));
    const runtime::Awaited awaited = wire_->awaited();
    if (!runtime::wait_for(awaited.fd, awaited.events, deadline)) return ended(core::silence);
  }
}

tl::expected<bool, core::Failure> Caller::is_direct() {
  return call({"SELECT pg_catalog.pg_backend_pid()"}).map([this](const Rows& rows) {
    return rows.size() == 1 && wire_->is_served_by(rows[0].at(0));
  });
}

}  // namespace tenure::postgres
