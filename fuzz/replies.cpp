#include "fuzz/replies.hpp"

#include <chrono>
#include <limits>
#include <variant>

#include "core/base/check.hpp"
#include "core/base/names.hpp"

namespace tenure::fuzz {

namespace {

using core::must;
using namespace std::chrono_literals;

template <class Wanted>
bool is_a(const core::Request& request) {
  return std::holds_alternative<Wanted>(request);
}

std::size_t keys_of(const core::Request& request) {
  if (const auto* renew = std::get_if<core::RenewRequest>(&request)) return renew->items.size();
  if (const auto* reassert = std::get_if<core::ReassertRequest>(&request)) return reassert->items.size();
  return 1;
}

}  // namespace

const std::array<NamedRequest, 10>& requests() {
  static const core::Grant ours("us", 0xaa);
  static const std::array<NamedRequest, 10> all{{
      {"acquire", core::AcquireRequest{"a", ours, 10s}},
      {"wait", core::AcquireRequest{"a", core::Grant("us", 0xbb), 10s, core::Grant("us", 0xcc)}},
      {"confirm", core::ConfirmRequest{"a", ours, 7}},
      {"renew", core::RenewRequest{10s, {{"a", ours, 7}, {"b", ours, 8}}}},
      {"renew-none", core::RenewRequest{10s, {}}},
      {"reassert", core::ReassertRequest{10s, true, {{"a", ours, 7}}}},
      {"release", core::ReleaseRequest{"a", ours}},
      {"release-other", core::ReleaseRequest{"b", core::Grant("us", 0xbb)}},
      {"open", core::OpenRequest{"e1", 1'700'000'000'000}},
      {"clock", core::ClockRequest{}},
  }};
  return all;
}

void expect_shown_safely(const core::Failure& failure) {
  const std::string_view text = failure.detail;
  must(!text.empty(), "a failure says what happened");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = core::utf8_length(text.substr(at));
    must(length > 0, "a failure is told in UTF-8");
    must(!core::is_control(text.substr(at, length)), "a failure drives no terminal");
    at += length;
  }
}

void expect_usable(const core::Request& request, const core::Reply& reply) {
  if (const auto* failure = std::get_if<core::Failure>(&reply)) expect_shown_safely(*failure);
  if (const auto* granted = std::get_if<core::Granted>(&reply)) {
    must(is_a<core::AcquireRequest>(request), "a grant answers an acquire");
    must(granted->token > 0, "a grant has a token");
    must(granted->token <= std::numeric_limits<std::int64_t>::max(), "Redis can count up to the token");
  }
  if (const auto* held = std::get_if<core::Held>(&reply)) {
    must(is_a<core::AcquireRequest>(request), "a holder answers an acquire");
    // As long as a clock can count: whoever adds it to a time must not run over.
    must(!held->left || *held->left <= std::chrono::duration_cast<core::Ttl>(core::Duration::max()),
         "what is left can be told");
    must(!held->ahead || *held->ahead >= 0, "a place in the queue is none below the first");
  }
  if (std::holds_alternative<core::NotOpen>(reply)) {
    must(is_a<core::AcquireRequest>(request) || is_a<core::RenewRequest>(request) ||
             is_a<core::ReassertRequest>(request) || is_a<core::OpenRequest>(request),
         "the record answers who needs to be admitted");
  }
  if (std::holds_alternative<core::Opened>(reply)) {
    must(is_a<core::OpenRequest>(request), "only what was to be opened is");
  }
  if (const auto* clock = std::get_if<core::NodeClock>(&reply)) {
    must(is_a<core::ClockRequest>(request), "a clock answers who asks for it");
    must(clock->unix_time >= core::Duration::zero(), "no clock goes before 1970");
  }
  if (const auto* answers = std::get_if<core::KeyAnswers>(&reply)) {
    must(answers->size() == keys_of(request), "every key has its answer");
  }
}

}  // namespace tenure::fuzz
