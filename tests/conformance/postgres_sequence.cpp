#include "postgres_sequence.hpp"

#include <algorithm>

#include "redis/record_text.hpp"
#include "reply_text.hpp"

namespace tenure::conformance {

namespace {

using core::Ttl;

const core::Terms terms{Ttl(60'000), "1"};
const std::vector<std::string> keys{"redlock:a", "leader", "two words"};
const std::string fleet = "jobs:";
// So long after its last look nobody is in any queue. Those of Redis end as a whole and those of PostgreSQL one by one, which a
// history cannot tell if it is shorter than that, or lets all of them end at once.
constexpr Ttl queue_life{121'000};

}  // namespace

const std::vector<std::string>& PostgresSequence::owners() {
  static const std::vector<std::string> all{"web-0", "web-1", "web 2", "web#3"};
  return all;
}

PostgresSequence::PostgresSequence(PostgresTwins& twins, std::uint64_t seed, Tally& tally)
    : twins_(twins), random_(seed), tally_(tally), clients_(owners().size(), Client{.terms = terms}) {}

std::string PostgresSequence::begin() {
  twins_.reset();
  for (const std::string& owner : owners()) {
    if (chance(60)) twins_.listen(owner);
  }
  if (chance(8)) return "";  // a node without a record
  std::string differs = chance(85) ? twins_.init(introduction(), terms) : "";
  for (std::size_t i = 0; i < clients_.size() && differs.empty(); ++i) {
    if (chance(90)) differs = admit(i);
  }
  return differs;
}

std::string PostgresSequence::step() {
  // A node that is closed is of little interest for long.
  const auto record = twins_.record();
  if (record.read && record.read->terms != terms && chance(30)) return reconfigure();
  const bool quarantined = record.read && !record.read->open;
  if (quarantined && chance(12)) return open();
  if (quarantined && chance(3)) {
    wait_long();
    return admit(any_client());
  }
  if (quarantined && record.read->unknown() && chance(10)) return init();
  const auto dice = random_.below(200);
  if (dice < 64) return acquire();
  if (dice < 76) return confirm();
  if (dice < 92) return renew();
  if (dice < 106) return reassert();
  if (dice < 134) return release();
  if (dice < 137) return open();
  if (dice < 142) return look();
  if (dice < 149) return break_lease();
  if (dice < 155) return admit(any_client());
  if (dice < 156) return init();
  if (dice < 157) return reconfigure();
  if (dice < 158) return begin_new_life();
  if (dice < 163) return beat();
  if (dice < 165) return lists();
  if (dice < 170) {
    turn_listener();
  } else {
    wait();
  }
  return look();
}

std::string PostgresSequence::acquire() {
  Attempt& chosen = attempt();
  core::AcquireRequest request{chosen.key, chosen.grant, ttl()};
  if (chance(65)) request.ticket = chosen.ticket;
  if (chance(30)) request.proposal = any_counted();
  const auto before = twins_.lease(chosen.key);
  std::string differs = ask(chosen.client, request);
  if (const auto* granted = std::get_if<core::Granted>(&twins_.reply())) {
    chosen.token = granted->token;
    if (request.proposal != 0)
      tally_[granted->token == request.proposal ? "acquire: a proposal" : "acquire: another token"] += 1;
    if (before && before->kept) tally_["acquire: what was kept"] += 1;
    if (before && before->grant == chosen.grant) tally_["acquire: a repeat"] += 1;
  }
  if (!differs.empty() || !chance(15)) return differs;
  return ask(chosen.client, request);
}

std::string PostgresSequence::confirm() {
  const std::string& key = any_key();
  const core::ConfirmRequest request{key, any_grant(key), any_token(key)};
  std::string differs = ask(any_client(), request);
  const bool done = twins_.said() == "answers done";
  for (Attempt& it : attempts_) {
    if (done && it.grant == request.grant) it.token = request.token;
  }
  return differs;
}

std::string PostgresSequence::renew() {
  core::RenewRequest request{ttl(), {}};
  for (const std::string& key : some_keys(4)) request.items.push_back(any_holding(key));
  return ask(any_client(), request);
}

std::string PostgresSequence::reassert() {
  core::ReassertRequest request{ttl(), chance(50), {}};
  for (const std::string& key : some_keys(4)) request.items.push_back(any_holding(key));
  return ask(any_client(), request);
}

std::string PostgresSequence::release() {
  const std::string& key = any_key();
  const auto before = twins_.lease(key);
  core::ReleaseRequest request{key, any_grant(key), std::nullopt, chance(85)};
  if (before && !before->kept && chance(50)) request.grant = before->grant;
  if (const Attempt* leaving = attempt_for(key); leaving != nullptr && chance(40)) {
    request.ticket = leaving->ticket;
    // Whoever only gives up its place names nothing else.
    if (chance(50)) request.grant = leaving->ticket;
  }
  std::string differs = ask(any_client(), request);
  const auto after = twins_.lease(key);
  if (after && after->kept) {
    const bool same = before && before->kept && before->grant == after->grant;
    if (!same) tally_["release: kept for a waiter"] += 1;
    if (!same && after->told.size() > 1) tally_["release: others told when to look"] += 1;
    if (same && after->told != before->told) tally_["release: one of those told left"] += 1;
  }
  return differs;
}

std::string PostgresSequence::open() {
  const auto record = twins_.record();
  core::OpenRequest request{"0123456789abcdef", twins_.now_ms()};
  if (record.read) request = {record.read->epoch, record.read->made_ms};
  if (chance(10)) request.made_ms += 1;
  if (chance(5)) request.epoch = random_.hex16();
  return ask(any_client(), request);
}

std::string PostgresSequence::look() { return ask(any_client(), core::LookRequest{some_keys(4)}); }

std::string PostgresSequence::break_lease() {
  const std::string& key = any_key();
  const auto shown = twins_.lease(key);
  postgres::Break breaking;
  breaking.key = key;
  breaking.victim = shown && shown->kept && chance(50) ? shown->grant : any_grant(key);
  if (!marks_.empty() && chance(30)) {
    breaking.mark = one_of(marks_);
  } else {
    breaking.mark = {"broken by " + owner_of(any_client()), random_.next()};
    marks_.push_back(breaking.mark);
  }
  // What is kept has no token, but the scripts take for one how many were told: above that, as every token is.
  const bool above = shown && (shown->kept || chance(70));
  breaking.token = above ? std::max(shown->token, twins_.fence()) + 1 : any_token(key);
  if (chance(50)) breaking.hold = ttl();
  std::string differs = twins_.break_lease(breaking);
  tally_["break: " + twins_.said()] += 1;
  return differs;
}

std::string PostgresSequence::admit(std::size_t client) {
  Client as = clients_[client];
  if (chance(4)) as.terms = other_terms();
  if (chance(8)) as.seen = any_counted();
  // Beyond the end of a quarantine: that was given after it.
  if (chance(2)) as.seen = static_cast<core::Token>(twins_.now_ms() + 61'000) * 1000;
  return admit(client, as);
}

std::string PostgresSequence::admit(std::size_t client, const Client& as) {
  Client& who = clients_[client];
  const auto before = twins_.record();
  std::string differs = twins_.admit(introduction(), as);
  const auto after = twins_.record();
  if (after.read) {
    if (as.terms != after.read->terms) tally_["admit: of other terms"] += 1;
    if (as.terms == terms) who = {as.terms, after.read->epoch, std::max(who.seen, as.seen)};
    const bool same = before.read && before.read->epoch == after.read->epoch;
    if (!same) tally_["admit: " + after.read->why] += 1;
    if (same) tally_[before.read->open == after.read->open ? "admit: as it was" : "admit: opened"] += 1;
  }
  return differs;
}

std::string PostgresSequence::init() {
  std::string differs = twins_.init(introduction(), chance(90) ? terms : other_terms());
  tally_["init: " + twins_.said().substr(0, 4)] += 1;
  return differs;
}

std::string PostgresSequence::reconfigure() {
  const core::Reconfiguration::Step step{.seen = chance(50) ? "" : "another one",
                                         .terms = chance(80) ? terms : other_terms(),
                                         .longest = chance(50) ? Ttl(60'000) : Ttl(120'000),
                                         .why = "1>1"};
  std::string differs = twins_.reconfigure(introduction(), step, chance(80));
  tally_["reconfigure: " + twins_.said().substr(0, 4)] += 1;
  return differs;
}

std::string PostgresSequence::begin_new_life() {
  // To who is of other terms the record is shown as it is.
  const auto record = twins_.record();
  if (record.read && record.read->terms != terms) return look();
  twins_.begin_new_life(random_.hex16());
  const std::size_t client = any_client();
  return admit(client, clients_[client]);
}

std::string PostgresSequence::beat() {
  core::BeatRequest request;
  request.fleet = fleet;
  request.id = one_of<std::string>({"i-1", "i-2", "i 3"});
  request.beat = {.boot = one_of<std::string>({"boot-1", "boot-2"}),
                  .started_ms = twins_.now_ms(),
                  .weight = static_cast<std::uint32_t>(1 + random_.below(3)),
                  .owned = random_.below(100)};
  if (chance(80)) request.beat.digest = random_.next();
  if (chance(80)) request.ttl = ttl();
  for (auto count = random_.below(3); count > 0; --count) request.owned.push_back(random_.next());
  return ask(any_client(), request);
}

std::string PostgresSequence::lists() {
  return ask(any_client(), core::ListsRequest{fleet, {"i-1", "i 3", "nobody"}});
}

void PostgresSequence::turn_listener() {
  const std::string& owner = one_of(owners());
  if (twins_.listens(owner)) {
    twins_.stop_listening(owner);
  } else {
    twins_.listen(owner);
  }
}

void PostgresSequence::wait() {
  const auto dice = random_.below(100);
  auto duration = Ttl(100 + static_cast<Ttl::rep>(random_.below(301)));
  if (dice < 15) duration = Ttl(1'000 * static_cast<Ttl::rep>(1 + random_.below(5)));
  if (dice < 4 || waited_ + duration > Ttl(100'000)) return wait_long();
  waited_ += duration;
  twins_.step(duration);
}

void PostgresSequence::wait_long() {
  waited_ = {};
  twins_.step(queue_life + Ttl(1'000 * static_cast<Ttl::rep>(random_.below(130))));
}

std::string PostgresSequence::ask(std::size_t client, const core::Request& request) {
  Client& who = clients_[client];
  Client as = who;
  if (chance(4)) as.terms = other_terms();
  if (chance(4)) as.epoch = random_.hex16();
  if (chance(5)) as.seen = any_counted();
  std::string differs = twins_.ask(request, as);
  const core::Reply& reply = twins_.reply();
  for (const std::string& outcome : outcomes_of(reply)) tally_[kind_of(request) + ": " + outcome] += 1;
  if (const auto* granted = std::get_if<core::Granted>(&reply)) who.seen = std::max(who.seen, granted->token);
  const auto* closed = std::get_if<core::NotOpen>(&reply);
  if (closed == nullptr || !differs.empty()) return differs;
  if (closed->record.text == redis::went_back) who.seen = std::max(who.seen, as.seen);
  return chance(60) ? admit(client) : "";
}

// One of them is in demand.
const std::string& PostgresSequence::any_key() { return chance(60) ? keys.front() : one_of(keys); }

PostgresSequence::Attempt& PostgresSequence::attempt() {
  if (!attempts_.empty() && chance(70)) return attempts_[random_.below(attempts_.size())];
  const std::size_t client = any_client();
  attempts_.push_back({any_key(), client, grant_of(client), grant_of(client)});
  return attempts_.back();
}

PostgresSequence::Attempt* PostgresSequence::attempt_for(const std::string& key) {
  std::vector<Attempt*> found;
  for (Attempt& it : attempts_) {
    if (it.key == key) found.push_back(&it);
  }
  return found.empty() ? nullptr : one_of(found);
}

// Mostly what is there; else one of before, the same owner's next one, or one of another owner that looks like it. A ticket is
// nobody's grant.
core::Grant PostgresSequence::any_grant(const std::string& key) {
  const auto dice = random_.below(100);
  auto shown = twins_.lease(key);
  if (shown && shown->kept) shown.reset();
  if (shown && dice < 55) return shown->grant;
  if (shown && dice < 65) return {shown->grant.owner(), random_.next()};
  if (shown && dice < 70) return {owner_of(any_client()), shown->grant.nonce()};
  if (const Attempt* before = attempt_for(key); before != nullptr) return before->grant;
  return grant_of(any_client());
}

core::Token PostgresSequence::any_token(const std::string& key) {
  const auto shown = twins_.lease(key);
  const auto dice = random_.below(100);
  if (!shown || shown->token < 10 || dice > 85) return any_counted();
  return dice < 60 ? shown->token : shown->token - 5 + random_.below(11);
}

core::Holding PostgresSequence::any_holding(const std::string& key) {
  const Attempt* mine = attempt_for(key);
  if (mine != nullptr && mine->token != 0 && chance(40)) return {key, mine->grant, mine->token};
  return {key, any_grant(key), any_token(key)};
}

std::vector<std::string> PostgresSequence::some_keys(std::uint64_t most) {
  std::vector<std::string> some = keys;
  for (std::size_t i = some.size(); i > 1; --i) std::swap(some[i - 1], some[random_.below(i)]);
  some.resize(1 + random_.below(std::min<std::uint64_t>(most, some.size())));
  return some;
}

// A number around the counter, around the time, or far below both.
core::Token PostgresSequence::any_counted() {
  const core::Token fence = twins_.fence();
  const auto now = static_cast<core::Token>(twins_.now_ms()) * 1000;
  return one_of<core::Token>({fence - 1, fence, fence + 1, fence + 2, fence + 50, fence + 1'000'000, now - 1,
                              now, now + 1, 7, 1'500'000'000'000'000});
}

core::Ttl PostgresSequence::ttl() {
  return one_of<Ttl>({Ttl(250), Ttl(300), Ttl(500), Ttl(1'000), Ttl(3'000), Ttl(30'000), Ttl(60'000)});
}

core::Terms PostgresSequence::other_terms() {
  return one_of<core::Terms>({{Ttl(30'000), "1"}, {Ttl(60'000), "3-a"}, {Ttl(60'000), "none"}});
}

// Its wall clock may be off by more than a quarantine.
redis::Introduction PostgresSequence::introduction() {
  const std::int64_t off = chance(70) ? 0 : one_of<std::int64_t>({-200'000, -1, 1, 200'000});
  return {random_.hex16(), twins_.now_ms() + off};
}

}  // namespace tenure::conformance
