#include "postgres_crowd.hpp"

#include "postgres_sequence.hpp"

namespace tenure::conformance {

namespace {

using core::Ttl;

const std::string key = "redlock:a";
constexpr Ttl ttl{30'000};

}  // namespace

PostgresCrowd::PostgresCrowd(PostgresTwins& twins, std::uint64_t seed, Tally& tally)
    : twins_(twins), random_(seed), tally_(tally) {}

std::string PostgresCrowd::begin() {
  twins_.reset();
  for (const std::string& owner : PostgresSequence::owners()) {
    if (random_.below(5) != 0) twins_.listen(owner);
  }
  std::string differs = twins_.init({random_.hex16(), twins_.now_ms()}, client_.terms);
  if (differs.empty()) client_.epoch = twins_.record().read->epoch;
  const core::Grant holder = new_grant();
  if (differs.empty()) differs = twins_.ask(core::AcquireRequest{key, holder, ttl}, client_);
  const auto waiters = random_.below(random_.below(3) == 0 ? 24 : 9);
  for (std::uint64_t i = 0; i < waiters && differs.empty(); ++i) {
    tickets_.push_back(new_grant());
    differs = acquire(tickets_.back());
  }
  return differs.empty() ? twins_.ask(core::ReleaseRequest{key, holder}, client_) : differs;
}

std::string PostgresCrowd::step() {
  const auto dice = random_.below(10);
  if (dice < 1) return leave(any_ticket());
  if (dice < 5)
    twins_.step(random_.below(3) == 0 ? Ttl(250) : Ttl(100 + static_cast<Ttl::rep>(random_.below(301))));
  // Whoever has it gives it back at times, and the next is called.
  const auto shown = twins_.lease(key);
  if (dice == 5 && shown && !shown->kept) return twins_.ask(core::ReleaseRequest{key, shown->grant}, client_);
  return acquire(any_ticket());
}

std::string PostgresCrowd::acquire(const core::Grant& ticket) {
  const auto before = twins_.lease(key);
  std::string differs = twins_.ask(core::AcquireRequest{key, new_grant(), ttl, ticket}, client_);
  if (!before || !before->kept) return differs;
  const auto after = twins_.lease(key);
  const bool waits = after && after->kept;
  tally_[waits && after->grant == before->grant ? "waits"
         : waits                                ? "passes it on"
         : before->grant == ticket              ? "is called"
                                                : "takes its turn"] += 1;
  return differs;
}

// Also of who was called, and does not want it any more.
std::string PostgresCrowd::leave(const core::Grant& ticket) {
  const auto before = twins_.lease(key);
  const bool called = before && before->kept && random_.below(3) == 0;
  const core::Grant& leaving = called ? before->grant : ticket;
  std::string differs = twins_.ask(core::ReleaseRequest{key, leaving, leaving}, client_);
  const auto after = twins_.lease(key);
  if (before && after && before->grant == after->grant && before->told != after->told)
    tally_["one of those told leaves"] += 1;
  return differs;
}

// Mostly one in front; sometimes a newcomer.
core::Grant PostgresCrowd::any_ticket() {
  if (tickets_.empty() || random_.below(8) == 0) tickets_.push_back(new_grant());
  return tickets_[random_.below(random_.below(2) == 0 ? tickets_.size() : (tickets_.size() + 2) / 3)];
}

core::Grant PostgresCrowd::new_grant() {
  const auto& owners = PostgresSequence::owners();
  return {owners[random_.below(owners.size())], random_.next()};
}

}  // namespace tenure::conformance
