#include "redis/net/master_search.hpp"

#include <poll.h>

#include <algorithm>
#include <ranges>
#include <utility>
#include <vector>

#include "core/lease/access.hpp"
#include "core/nodes.hpp"
#include "redis/net/speech.hpp"
#include "redis/sentinel.hpp"
#include "redis/url_parts.hpp"
#include "runtime/boot_clock.hpp"

namespace tenure::redis {

namespace {

using core::Applied;
using core::Failure;
using core::FailureCode;

constexpr std::size_t lookups_max = 64;

}  // namespace

runtime::Lookup& Lookups::of(const HostPort& where) { return by_host_[redis::to_text(where)]; }

void Lookups::limit() {
  if (by_host_.size() > lookups_max) by_host_.clear();
}

MasterSearch::MasterSearch(const Address& address, const runtime::Tls& tls, Lookups& lookups, Limits limits)
    : address_(address), tls_(tls), lookups_(lookups), in_time_(std::min(in_time_max, limits.patience / 2)) {
  if (limits.gives_up_unnamed) {
    named_until_ = runtime::boot_now() + in_time_;
    set_timer();
  }
  lookups_.limit();
  const auto question = master_question(address_.group);
  for (const HostPort& where : address_.group.sentinels) {
    Sentinel& sentinel = sentinels_.emplace_back();
    sentinel.where = where;
    sentinel.inquiry.emplace(where, address_, tls_, lookups_.of(where), question);
  }
}

tl::expected<std::optional<runtime::Stream>, Failure> MasterSearch::step() {
  for (Sentinel& sentinel : sentinels_) ask(sentinel);
  for (Candidate& candidate : candidates_) ask(candidate);
  if (named_until_ && !is_clueless()) {
    named_until_.reset();
    timer_.reset();
  }
  if (Candidate* named = named_by_majority(); named != nullptr) {
    if (named->is_master) return named->inquiry->take();
    if (named->failure) return tl::unexpected(failure());
    timer_.reset();
  } else if (Candidate* found = best(); found != nullptr && is_taken(*found)) {
    return found->inquiry->take();
  }
  if (starved_) return tl::unexpected(runtime::no_descriptor());
  if (all_failed() || (named_until_ && runtime::boot_now() >= *named_until_))
    return tl::unexpected(failure());
  if (wait_for_more()) return std::nullopt;
  return tl::unexpected(runtime::no_descriptor());
}

void MasterSearch::set_timer() {
  timer_ = runtime::timer_after(in_time_);
  if (!timer_) starved_ = true;
}

void MasterSearch::ask(Sentinel& sentinel) {
  if (!sentinel.inquiry) return;
  const auto answers = sentinel.inquiry->step();
  if (answers && !*answers) return;
  auto master = answers ? read_master(address_.group, **answers) : tl::unexpected(answers.error());
  sentinel.inquiry.reset();
  if (!master) {
    sentinel.failure = with_scheme(std::move(master.error()), address_);
    return;
  }
  add_candidate(*master);
  sentinel.master = std::move(*master);
}

void MasterSearch::add_candidate(const HostPort& where) {
  if (std::ranges::find(candidates_, where, &Candidate::where) != candidates_.end()) return;
  Candidate& candidate = candidates_.emplace_back();
  candidate.where = where;
  candidate.inquiry.emplace(where, address_, tls_, lookups_.of(where), role_question(address_));
}

void MasterSearch::ask(Candidate& candidate) {
  if (!candidate.inquiry || candidate.is_master) return;
  const auto answers = candidate.inquiry->step();
  if (answers && !*answers) return;
  auto role = answers ? read_role(address_, **answers) : tl::unexpected(answers.error());
  candidate.is_master = role.has_value();
  if (candidate.is_master) return;
  candidate.inquiry.reset();
  candidate.failure = with_scheme(std::move(role.error()), address_);
}

std::size_t MasterSearch::votes(const Candidate& candidate) const {
  return static_cast<std::size_t>(std::ranges::count(sentinels_, candidate.where, &Sentinel::master));
}

MasterSearch::Candidate* MasterSearch::named_by_majority() {
  for (Candidate& candidate : candidates_) {
    if (votes(candidate) >= core::quorum_of(sentinels_.size())) return &candidate;
  }
  return nullptr;
}

// Of those that are masters.
MasterSearch::Candidate* MasterSearch::best() {
  Candidate* best = nullptr;
  for (Candidate& candidate : candidates_) {
    if (candidate.is_master && (best == nullptr || votes(candidate) > votes(*best))) best = &candidate;
  }
  return best;
}

bool MasterSearch::may_be_outvoted(const Candidate& best) const {
  const auto silent = static_cast<std::size_t>(
      std::ranges::count_if(sentinels_, [](const Sentinel& it) { return it.inquiry.has_value(); }));
  if (silent > votes(best)) return true;  // by a server that nobody has named yet
  return std::ranges::any_of(candidates_, [&](const Candidate& it) {
    const std::size_t most = votes(it) + silent;
    // One that failed counts all the same once a majority names it.
    return &it != &best && most > votes(best) && (!it.failure || most >= core::quorum_of(sentinels_.size()));
  });
}

bool MasterSearch::is_taken(const Candidate& best) {
  if (!may_be_outvoted(best)) return true;
  if (!agree_until_) {
    agree_until_ = runtime::boot_now() + in_time_;
    set_timer();
  }
  return !starved_ && runtime::boot_now() >= *agree_until_;
}

bool MasterSearch::all_failed() const {
  return std::ranges::all_of(sentinels_, [](const Sentinel& it) { return !it.inquiry; }) &&
         std::ranges::all_of(candidates_, [](const Candidate& it) { return it.failure.has_value(); });
}

std::string MasterSearch::trouble() const {
  // What several Sentinels say is said once.
  std::vector<std::pair<std::string, std::string>> by_detail;
  for (const Sentinel& sentinel : sentinels_) {
    if (!sentinel.failure && !sentinel.inquiry) continue;
    const std::string& detail = sentinel.failure ? sentinel.failure->detail : core::silence.detail;
    const auto same = std::ranges::find(by_detail, detail, &std::pair<std::string, std::string>::first);
    if (same == by_detail.end()) {
      by_detail.emplace_back(detail, redis::to_text(sentinel.where));
    } else {
      same->second += ", " + redis::to_text(sentinel.where);
    }
  }
  std::string all;
  for (const Candidate& candidate : candidates_) {
    const std::string& detail = candidate.failure ? candidate.failure->detail : core::silence.detail;
    all += (all.empty() ? "" : "; ") + redis::to_text(candidate.where) +
           ", which Sentinels name the master: " + detail;
  }
  for (const auto& [detail, hosts] : by_detail)
    all += (all.empty() ? "Sentinel " : "; Sentinel ") + hosts + ": " + detail;
  return all;
}

// That of the server that a majority names; else of the first that says more than that it is out of reach. Whoever is refused gives up,
// so a refusal counts only where everybody refuses: one that is away may let us in when it is back.
FailureCode MasterSearch::failure_code() {
  if (const Candidate* named = named_by_majority(); named != nullptr && named->failure)
    return named->failure->code;
  std::vector<Failure> said;
  for (const Candidate& it : candidates_) {
    if (it.failure) said.push_back(*it.failure);
  }
  for (const Sentinel& it : sentinels_) {
    if (it.inquiry) said.push_back(core::silence);
    if (it.failure) said.push_back(*it.failure);
  }
  const bool all_refuse = std::ranges::all_of(said, core::denies_access);
  const auto tells = [&](const Failure& it) {
    return it.code != FailureCode::unreachable && (all_refuse || !core::denies_access(it));
  };
  const auto found = std::ranges::find_if(said, tells);
  return found == said.end() ? FailureCode::unreachable : found->code;
}

bool MasterSearch::wait_for_more() {
  ready_.emplace();
  if (!*ready_) return false;
  runtime::ReadySet::Key key = 0;
  for (const Sentinel& it : sentinels_) {
    if (it.inquiry) ready_->watch(key++, {it.inquiry->fd(), it.inquiry->events()});
  }
  for (const Candidate& it : candidates_) {
    if (it.inquiry && !it.is_master) ready_->watch(key++, {it.inquiry->fd(), it.inquiry->events()});
  }
  if (timer_) ready_->watch(key++, {timer_.get(), POLLIN});
  return true;
}

}  // namespace tenure::redis
