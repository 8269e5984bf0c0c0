#include "postgres/net/asked_server.hpp"

#include <optional>
#include <utility>

#include "postgres/net/caller.hpp"

namespace tenure::postgres {

namespace {

class AskedServer final : public Server {
 public:
  AskedServer(Address address, core::Duration timeout) : address_(std::move(address)), timeout_(timeout) {}

  const std::string& name() const override { return address_.name; }
  const std::string& place() const override { return address_.place; }

  tl::expected<Rows, core::Failure> ask(const Call& call) override {
    if (caller_) {
      auto rows = caller_->call(call);
      if (rows || caller_->connected()) return rows;
      // It may have broken long ago.
      caller_.reset();
      if (rows.error().code == core::FailureCode::timed_out) return rows;
    }
    auto connected = Caller::connect(address_, timeout_);
    if (!connected) return tl::unexpected(std::move(connected.error()));
    caller_ = std::move(*connected);
    auto rows = caller_->call(call);
    if (!caller_->connected()) caller_.reset();
    return rows;
  }

 private:
  Address address_;
  core::Duration timeout_;
  std::optional<Caller> caller_{};
};

}  // namespace

std::unique_ptr<Server> server_at(Address address, core::Duration timeout) {
  return std::make_unique<AskedServer>(std::move(address), timeout);
}

}  // namespace tenure::postgres
