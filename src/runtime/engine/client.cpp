#include "runtime/engine/client.hpp"

#include <utility>

#include "core/base/check.hpp"
#include "runtime/engine/election.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/engine/membership.hpp"

namespace tenure::runtime {

Lease::Lease(std::shared_ptr<Engine> engine, std::shared_ptr<LeaseState> state)
    : engine_(std::move(engine)), state_(std::move(state)) {}

Lease::~Lease() {
  if (!state_ || lent_) return;
  engine_->let_go(*state_);
}

Lease::Lease(Lease&&) noexcept = default;

Lease& Lease::operator=(Lease&& other) noexcept {
  // The old lease leaves with the temporary.
  Lease incoming(std::move(other));
  std::swap(engine_, incoming.engine_);
  std::swap(state_, incoming.state_);
  std::swap(lent_, incoming.lent_);
  return *this;
}

core::Token Lease::token() const { return state_->token; }
bool Lease::held() const { return state_->held(); }
core::Time Lease::deadline() const { return state_->deadline; }
std::stop_token Lease::lost() const { return state_->lost.get_token(); }
std::optional<core::LossReason> Lease::loss() const { return state_->loss; }
tl::expected<core::Time, NotExtended> Lease::extend() { return engine_->extend(*state_); }
core::Released Lease::release() {
  core::must(!lent_, "the lease of a term is given back by its election");
  return engine_->release(*state_);
}

void Lease::async_extend(std::shared_ptr<AsyncExtend> call) {
  engine_->async_extend(*state_, std::move(call));
}
void Lease::async_release(std::shared_ptr<AsyncRelease> call) {
  core::must(!lent_, "the lease of a term is given back by its election");
  engine_->async_release(*state_, std::move(call));
}

Client::Client(ClientOptions options) : engine_(Engine::make(std::move(options))) {}

tl::expected<Lease, core::Refusal> Client::acquire(const std::string& key, const AcquireOptions& options,
                                                   std::stop_token stop) {
  auto state = engine_->acquire(key, options, stop);
  if (!state) return tl::unexpected(std::move(state.error()));
  return Lease(engine_, std::move(*state));
}

void Client::async_acquire(std::shared_ptr<AsyncAcquire> call, const std::string& key, AcquireOptions options,
                           const std::stop_token& stop) const {
  engine_->async_acquire(std::move(call), key, std::move(options), stop);
}

void Client::post(std::shared_ptr<AsyncCall> call) const { engine_->post(std::move(call)); }
int Client::descriptor() const { return engine_->descriptor(); }
// A copy: a handler may let this go.
std::size_t Client::poll(const std::function<bool()>& goes_on) const {
  const std::shared_ptr<Engine> engine = engine_;
  return Engine::poll(engine, goes_on);
}

std::shared_ptr<Election> Client::election(core::ElectionPlan plan) const {
  return std::make_shared<Election>(engine_, std::move(plan));
}

std::shared_ptr<Membership> Client::membership(core::FleetPlan plan, std::shared_ptr<Node> data,
                                               DescribeNotOpen describe) const {
  return std::make_shared<Membership>(engine_, std::move(plan), std::move(data), std::move(describe));
}

Lease Client::lend(std::shared_ptr<LeaseState> term) const {
  Lease lease(engine_, std::move(term));
  lease.lent_ = true;
  return lease;
}

void Client::log(const LogEvent& event, std::string message, std::vector<LogField> fields) const {
  engine_->log(event, std::move(message), std::move(fields));
}

Metrics Client::metrics() const { return engine_->metrics(); }

void Client::close() { engine_->close(); }
bool Client::closed() const { return engine_->closed(); }

}  // namespace tenure::runtime
